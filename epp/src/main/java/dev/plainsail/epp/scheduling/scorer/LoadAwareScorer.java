package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.datalayer.Load;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/**
 * 0.5 for an empty queue, falling to 0 at the threshold. It never exceeds 0.5, as in llm-d, so that a prefix hit outweighs it.
 */
public final class LoadAwareScorer implements Scorer {
    private static final double BEST = 0.5;

    private final double threshold;

    /** @param threshold waiting requests that count as full; above 0 */
    public LoadAwareScorer(double threshold) {
        this.threshold = threshold;
    }

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        double[] waiting = Known.of(candidates, Load::waiting);
        for (int position = 0; position < waiting.length; position++) {
            scores[position] = BEST * (1 - Math.min(waiting[position], threshold) / threshold);
        }
    }
}
