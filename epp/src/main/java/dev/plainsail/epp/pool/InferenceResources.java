package dev.plainsail.epp.pool;

import dev.plainsail.epp.pool.TrafficRules.Rewrite;
import dev.plainsail.epp.pool.TrafficRules.Target;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** From the raw InferencePool, InferenceObjective and InferenceModelRewrite to values, pure. What is missing is a default. */
final class InferenceResources {
    private InferenceResources() {}

    /** An InferencePool: v1 ({@code selector.matchLabels}, {@code targetPorts}) or the alpha ({@code selector}, {@code targetPortNumber}). */
    static PoolSelector pool(GenericKubernetesResource resource) {
        Object selector = resource.get("spec", "selector", "matchLabels") instanceof Map<?, ?> labels
                ? labels
                : resource.get("spec", "selector");
        Map<String, String> labels = new TreeMap<>();
        if (selector instanceof Map<?, ?> pairs) {
            pairs.forEach((key, value) -> labels.put(String.valueOf(key), String.valueOf(value)));
        }
        List<Integer> ports = new ArrayList<>();
        for (Object port : list(resource.get("spec", "targetPorts"))) {
            if (port instanceof Map<?, ?> entry && entry.get("number") instanceof Number number) {
                ports.add(number.intValue());
            }
        }
        if (resource.get("spec", "targetPortNumber") instanceof Number number) {
            ports.add(number.intValue());
        }
        return new PoolSelector(
                resource.getMetadata().getName(),
                resource.getMetadata().getNamespace(),
                labels.entrySet().stream()
                        .map(label -> label.getKey() + "=" + label.getValue())
                        .collect(Collectors.joining(",")),
                ports);
    }

    /** The name and priority of an InferenceObjective. */
    static Map.Entry<String, Integer> objective(GenericKubernetesResource resource) {
        Object priority = resource.get("spec", "priority");
        return Map.entry(resource.getMetadata().getName(), priority instanceof Number number ? number.intValue() : 0);
    }

    static List<Rewrite> rewrites(GenericKubernetesResource resource) {
        Object named = resource.get("spec", "poolRef", "name");
        String pool = String.valueOf(named);
        List<Rewrite> rewrites = new ArrayList<>();
        for (Object rule : list(resource.get("spec", "rules"))) {
            if (rule instanceof Map<?, ?> entry) {
                rewrites.add(new Rewrite(
                        pool,
                        String.valueOf(resource.getMetadata().getCreationTimestamp()),
                        rewrites.size(),
                        models(entry),
                        targets(entry)));
            }
        }
        return rewrites;
    }

    private static List<String> models(Map<?, ?> rule) {
        List<String> models = new ArrayList<>();
        for (Object match : list(rule.get("matches"))) {
            if (match instanceof Map<?, ?> entry
                    && entry.get("model") instanceof Map<?, ?> model
                    && model.get("value") instanceof String value) {
                models.add(value);
            }
        }
        return models;
    }

    /** Targets without a weight get nothing beside weighted ones. */
    private static List<Target> targets(Map<?, ?> rule) {
        List<Target> targets = new ArrayList<>();
        for (Object target : list(rule.get("targets"))) {
            if (target instanceof Map<?, ?> entry && entry.get("modelRewrite") instanceof String model) {
                targets.add(new Target(model, entry.get("weight") instanceof Number weight ? weight.intValue() : 0));
            }
        }
        return targets;
    }

    private static List<?> list(@Nullable Object value) {
        return value instanceof List<?> list ? list : List.of();
    }
}
