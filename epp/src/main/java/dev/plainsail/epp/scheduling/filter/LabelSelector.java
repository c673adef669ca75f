package dev.plainsail.epp.scheduling.filter;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** A Kubernetes label selector: all its requirements must hold. */
public record LabelSelector(List<Requirement> requirements) implements Predicate<Map<String, String>> {
    public LabelSelector {
        requirements = List.copyOf(requirements);
    }

    /** As in Kubernetes: {@code NOT_IN} also holds where the label is absent. */
    public enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        DOES_NOT_EXIST
    }

    public record Requirement(String key, Operator operator, List<String> values) {
        public Requirement {
            values = List.copyOf(values);
        }

        boolean holds(Map<String, String> labels) {
            String held = labels.get(key);
            return switch (operator) {
                case IN -> held != null && values.contains(held);
                case NOT_IN -> held == null || !values.contains(held);
                case EXISTS -> held != null;
                case DOES_NOT_EXIST -> held == null;
            };
        }
    }

    @Override
    public boolean test(Map<String, String> labels) {
        for (Requirement requirement : requirements) {
            if (!requirement.holds(labels)) {
                return false;
            }
        }
        return true;
    }
}
