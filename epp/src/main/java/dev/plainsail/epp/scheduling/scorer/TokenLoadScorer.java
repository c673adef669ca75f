package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/** Tokens that the endpoint would have before it with this request: none is 1, the threshold and above 0. */
public final class TokenLoadScorer implements Scorer {
    private final double threshold;

    /** @param threshold tokens; above 0 */
    public TokenLoadScorer(double threshold) {
        this.threshold = threshold;
    }

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        for (int position = 0; position < candidates.size(); position++) {
            double tokens = (double) candidates.pendingPrefill(position)
                    + candidates.expectedOutput(position)
                    + candidates.uncachedTokens(position);
            scores[position] = 1 - Math.min(tokens, threshold) / threshold;
        }
    }
}
