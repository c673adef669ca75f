package dev.plainsail.epp.pool;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What InferenceObjectives and InferenceModelRewrites say, as values.
 *
 * @param priorities of objectives by name; one that is not there has priority 0
 * @param rewrites the order of precedence is made here: exact matches before generic ones, then the oldest resource, then
 *     the order of its rules
 */
public record TrafficRules(Map<String, Integer> priorities, List<Rewrite> rewrites) {
    public static final TrafficRules NONE = new TrafficRules(Map.of(), List.of());

    /**
     * One rule of an InferenceModelRewrite.
     *
     * @param pool that it belongs to
     * @param created RFC 3339, so that text order is time order
     * @param models that it matches exactly; empty: every model
     */
    public record Rewrite(String pool, String created, int order, List<String> models, List<Target> targets) {
        public Rewrite {
            models = List.copyOf(models);
            targets = List.copyOf(targets);
        }
    }

    /** @param weight share of the requests; 0 gets none, unless all are 0 */
    public record Target(String model, int weight) {}

    public TrafficRules {
        priorities = Map.copyOf(priorities);
        rewrites = rewrites.stream()
                .sorted(Comparator.comparing(
                                (Rewrite rewrite) -> rewrite.models().isEmpty())
                        .thenComparing(Rewrite::created)
                        .thenComparingInt(Rewrite::order))
                .toList();
    }

    /** @param objective null: the request names none */
    public int priority(@Nullable String objective) {
        return objective == null ? 0 : priorities.getOrDefault(objective, 0);
    }

    /**
     * The model that replaces the request's.
     *
     * @param dice uniform in [0, 1): chooses among weighted targets
     * @return null: no rule matches
     */
    public @Nullable String rewritten(String pool, @Nullable String model, double dice) {
        for (Rewrite rewrite : rewrites) {
            boolean matches = rewrite.models().isEmpty()
                    || (model != null && rewrite.models().contains(model));
            if (matches && rewrite.pool().equals(pool) && !rewrite.targets().isEmpty()) {
                return choose(rewrite.targets(), dice);
            }
        }
        return null;
    }

    /** The pool of the first rule that matches the model by name. null: there is none. */
    public @Nullable String poolOf(String model) {
        for (Rewrite rewrite : rewrites) {
            if (rewrite.models().contains(model)) {
                return rewrite.pool();
            }
        }
        return null;
    }

    private static String choose(List<Target> targets, double dice) {
        long sum = targets.stream().mapToLong(Target::weight).sum();
        if (sum == 0) {
            return targets.get((int) (dice * targets.size())).model();
        }
        double left = dice * sum;
        for (Target target : targets) {
            left -= target.weight();
            if (left < 0) {
                return target.model();
            }
        }
        return targets.getLast().model();
    }
}
