package dev.plainsail.webhook.planner;

import dev.plainsail.dra.Quantity;
import dev.plainsail.webhook.plan.ExtendedResource;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.PodView;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A container's limit (or request) on an extended resource that some DeviceClass holds, too. */
record MappedLimit(ContainerView container, String resource, long count, ExtendedResource mapping) {

    private static final BigDecimal MOST = BigDecimal.valueOf(Integer.MAX_VALUE);

    /** All of them; an amount of zero asks for nothing and is left out. */
    static List<MappedLimit> of(PodView pod, InjectionSettings settings) {
        List<MappedLimit> result = new ArrayList<>();
        for (ContainerView container : pod.everyContainer()) {
            Map<String, String> amounts = new LinkedHashMap<>(container.resources("requests"));
            amounts.putAll(container.resources("limits"));
            amounts.forEach((resource, amount) -> settings.extendedResources().stream()
                    .filter(mapping -> mapping.matches(resource))
                    .findFirst()
                    .filter(mapping -> count(amount) > 0)
                    .ifPresent(mapping -> result.add(new MappedLimit(container, resource, count(amount), mapping))));
        }
        return result;
    }

    private static long count(String amount) {
        return Quantity.parse(amount)
                .map(Quantity::value)
                .filter(value -> value.signum() > 0 && value.compareTo(MOST) <= 0)
                .map(value -> value.setScale(0, RoundingMode.UP).longValue())
                .orElse(0L);
    }

    String path() {
        String list = container.resources("limits").containsKey(resource) ? "limits" : "requests";
        return container.path() + ".resources." + list + "[" + resource + "]";
    }

    boolean isIn(List<ContainerView> containers) {
        return containers.stream().anyMatch(other -> other.place().equals(container.place()));
    }
}
