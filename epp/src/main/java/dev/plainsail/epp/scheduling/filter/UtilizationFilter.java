package dev.plainsail.epp.scheduling.filter;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Filter;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.List;

/** Drops endpoints above any of several limits. A number that is not known is above none. */
public final class UtilizationFilter implements Filter {
    private final List<Condition> conditions;
    private final boolean allWhenEmpty;

    /** A number of an endpoint that can be limited; the constants in lower case with dashes are llm-d's words. */
    public enum Metric {
        ACTIVE_REQUESTS,
        RUNNING_REQUESTS,
        WAITING_QUEUE,
        KV_CACHE_UTILIZATION;

        double of(Candidates candidates, int position) {
            return switch (this) {
                case ACTIVE_REQUESTS -> candidates.inFlight(position);
                case RUNNING_REQUESTS -> candidates.load(position).running();
                case WAITING_QUEUE -> candidates.load(position).waiting();
                case KV_CACHE_UTILIZATION -> candidates.load(position).kvCacheUsed();
            };
        }
    }

    public record Condition(Metric metric, double maxValue) {}

    /** @param allWhenEmpty keep all rather than none */
    public UtilizationFilter(List<Condition> conditions, boolean allWhenEmpty) {
        this.conditions = List.copyOf(conditions);
        this.allWhenEmpty = allWhenEmpty;
    }

    @Override
    public Candidates filter(InferenceRequest request, Candidates candidates) {
        Candidates left = candidates.where(position -> isBelowAll(candidates, position));
        return left.size() == 0 && allWhenEmpty ? candidates : left;
    }

    private boolean isBelowAll(Candidates candidates, int position) {
        for (Condition condition : conditions) {
            if (condition.metric().of(candidates, position) > condition.maxValue()) {
                return false;
            }
        }
        return true;
    }
}
