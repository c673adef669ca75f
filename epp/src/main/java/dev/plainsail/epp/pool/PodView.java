package dev.plainsail.epp.pool;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The little of a pod that decides whether and where it is an endpoint.
 *
 * @param created RFC 3339, so that text order is time order
 */
record PodView(
        String namespace,
        String name,
        String uid,
        String created,
        String ip,
        boolean eligible,
        Map<String, String> labels,
        Map<String, String> annotations,
        List<ContainerView> containers) {

    /** @param words command and args in one list */
    record ContainerView(String name, List<String> words, Map<String, Integer> namedPorts, List<Integer> ports) {}

    static PodView from(Pod pod) {
        return new PodView(
                text(pod.getMetadata().getNamespace()),
                text(pod.getMetadata().getName()),
                text(pod.getMetadata().getUid()),
                text(pod.getMetadata().getCreationTimestamp()),
                pod.getStatus() == null ? "" : text(pod.getStatus().getPodIP()),
                isEligible(pod),
                Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.of()),
                Objects.requireNonNullElse(pod.getMetadata().getAnnotations(), Map.of()),
                pod.getSpec() == null
                        ? List.of()
                        : pod.getSpec().getContainers().stream()
                                .map(PodView::container)
                                .toList());
    }

    /** Ready, running, not terminating, and with an address. A failed pod may keep its Ready condition and its address. */
    private static boolean isEligible(Pod pod) {
        if (pod.getMetadata().getDeletionTimestamp() != null || pod.getStatus() == null) {
            return false;
        }
        String phase = pod.getStatus().getPhase();
        boolean over = "Failed".equals(phase) || "Succeeded".equals(phase);
        return !over
                && !text(pod.getStatus().getPodIP()).isEmpty()
                && pod.getStatus().getConditions().stream()
                        .anyMatch(condition ->
                                "Ready".equals(condition.getType()) && "True".equals(condition.getStatus()));
    }

    private static ContainerView container(Container container) {
        List<String> words = Stream.concat(container.getCommand().stream(), container.getArgs().stream())
                .toList();
        Map<String, Integer> named = new LinkedHashMap<>();
        List<Integer> ports = new ArrayList<>();
        for (ContainerPort port : container.getPorts()) {
            Integer number = port.getContainerPort();
            if (number != null && (port.getProtocol() == null || "TCP".equals(port.getProtocol()))) {
                ports.add(number);
                if (port.getName() != null) {
                    named.put(port.getName(), number);
                }
            }
        }
        return new ContainerView(container.getName(), words, named, ports);
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
