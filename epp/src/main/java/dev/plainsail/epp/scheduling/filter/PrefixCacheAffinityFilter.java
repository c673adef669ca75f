package dev.plainsail.epp.scheduling.filter;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Filter;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.function.IntPredicate;

/**
 * Keeps the endpoints that hold most of the prompt, unless waiting for them would cost more than it is worth: when the
 * least loaded holder would answer later than the least loaded other by more than a limit, all stay.
 */
public final class PrefixCacheAffinityFilter implements Filter {
    private final Rule rule;

    /**
     * @param threshold part of the prompt that makes a holder; 0 or less switches the filter off
     * @param exploration probability of keeping all anyway
     * @param maxPenaltyMillis how much later a holder may answer; 0: no limit
     * @param tokensPerSecond prefill speed of every endpoint; 0: each endpoint's own, as learnt
     */
    public record Rule(double threshold, double exploration, double maxPenaltyMillis, double tokensPerSecond) {}

    public PrefixCacheAffinityFilter(Rule rule) {
        this.rule = rule;
    }

    @Override
    public Candidates filter(InferenceRequest request, Candidates candidates) {
        int total = candidates.promptBlocks();
        if (candidates.size() <= 1 || total == 0 || rule.threshold() <= 0 || explores(request)) {
            return candidates;
        }
        IntPredicate holds = position -> (double) candidates.prefixMatch(position) / total >= rule.threshold();
        Candidates holders = candidates.where(holds);
        if (holders.size() == 0 || holders.size() == candidates.size()) {
            return candidates;
        }
        if (rule.maxPenaltyMillis() > 0) {
            double penalty = soonest(candidates, holds) - soonest(candidates, holds.negate());
            if (penalty > rule.maxPenaltyMillis()) {
                return candidates;
            }
        }
        return holders;
    }

    /** The request's own number decides, so that the same seed and requests give the same choices. */
    private boolean explores(InferenceRequest request) {
        if (rule.exploration() <= 0) {
            return false;
        }
        long mixed = request.ticket() * 0x9E3779B97F4A7C15L;
        return (mixed >>> 11) * 0x1.0p-53 < rule.exploration();
    }

    private double soonest(Candidates candidates, IntPredicate which) {
        double soonest = Double.POSITIVE_INFINITY;
        for (int position = 0; position < candidates.size(); position++) {
            if (which.test(position)) {
                double speed =
                        rule.tokensPerSecond() > 0 ? rule.tokensPerSecond() : candidates.tokensPerSecond(position);
                double tokens = (double) candidates.pendingPrefill(position) + candidates.expectedOutput(position);
                soonest = Math.min(soonest, tokens / speed * 1000);
            }
        }
        return soonest;
    }
}
