package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/** Few of our own requests in flight: up to {@code idleThreshold} is 1, the most of all 0. */
public final class ActiveRequestScorer implements Scorer {
    private final int idleThreshold;
    private final double maxBusyScore;

    /** @param maxBusyScore what a busy endpoint can reach at best, 0 to 1 */
    public ActiveRequestScorer(int idleThreshold, double maxBusyScore) {
        this.idleThreshold = idleThreshold;
        this.maxBusyScore = maxBusyScore;
    }

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        int most = 0;
        for (int position = 0; position < candidates.size(); position++) {
            most = Math.max(most, candidates.inFlight(position));
        }
        for (int position = 0; position < candidates.size(); position++) {
            int count = candidates.inFlight(position);
            scores[position] = count <= idleThreshold ? 1 : (double) (most - count) / most * maxBusyScore;
        }
    }
}
