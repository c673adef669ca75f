package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/**
 * How soon the endpoint would give the first token: the prefill that is before it, and that of this request less what it
 * holds, at the speed at which the engine was seen to compute. The soonest is 1; twice as late is one half.
 */
public final class ExpectedWaitScorer implements Scorer {
    /** Less than this is not worth leaving a tie for: a scheduler step of an engine. */
    private static final double BASE_SECONDS = 0.02;

    /** Ties within this part count as equal, and are broken by the fewest in flight. */
    private static final double TIE = 0.01;

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        double soonest = Double.POSITIVE_INFINITY;
        for (int position = 0; position < candidates.size(); position++) {
            double tokens = (double) candidates.pendingPrefill(position) + candidates.uncachedTokens(position);
            scores[position] = BASE_SECONDS + tokens / candidates.tokensPerSecond(position);
            soonest = Math.min(soonest, scores[position]);
        }
        for (int position = 0; position < candidates.size(); position++) {
            double later = scores[position] / soonest;
            scores[position] = later <= 1 + TIE ? 1 : 1 / later;
        }
    }
}
