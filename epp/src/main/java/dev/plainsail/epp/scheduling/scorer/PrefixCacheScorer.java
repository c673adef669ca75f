package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.prefix.PrefixIndex;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/**
 * The part of the prompt that the endpoint is believed to hold; with a weight also the held length itself, squared, so
 * that long matches count more than the same part of a short prompt.
 */
public final class PrefixCacheScorer implements Scorer {
    private final double lengthWeight;
    private final double lengthScaleTokens;

    /**
     * @param lengthWeight 0: the part alone, 1: the length alone
     * @param lengthScaleTokens length that counts full; above 0
     */
    public PrefixCacheScorer(double lengthWeight, double lengthScaleTokens) {
        this.lengthWeight = lengthWeight;
        this.lengthScaleTokens = lengthScaleTokens;
    }

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        int total = candidates.promptBlocks();
        for (int position = 0; position < candidates.size(); position++) {
            double match = candidates.prefixMatch(position);
            double part = total == 0 ? 0 : match / total;
            double length = Math.min(1, match * PrefixIndex.BLOCK_TOKENS / lengthScaleTokens);
            scores[position] = lengthWeight * length * length + (1 - lengthWeight) * part;
        }
    }
}
