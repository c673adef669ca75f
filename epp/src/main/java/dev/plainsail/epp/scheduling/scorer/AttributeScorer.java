package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.EndpointAttribute;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/** Scores by a reported value, linear between two ends; who does not say gets 0, as in llm-d. */
public final class AttributeScorer implements Scorer {
    private final EndpointAttribute attribute;
    private final boolean lowerIsBetter;
    private final double min;
    private final double max;

    /** @param min and {@code max} the ends; NaN: those of the candidates */
    public AttributeScorer(EndpointAttribute attribute, boolean lowerIsBetter, double min, double max) {
        this.attribute = attribute;
        this.lowerIsBetter = lowerIsBetter;
        this.min = min;
        this.max = max;
    }

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        double low = min;
        double high = max;
        if (Double.isNaN(min)) {
            low = Double.POSITIVE_INFINITY;
            high = Double.NEGATIVE_INFINITY;
            for (int position = 0; position < candidates.size(); position++) {
                double value = attribute.of(candidates, position);
                low = value < low ? value : low;
                high = value > high ? value : high;
            }
        }
        for (int position = 0; position < candidates.size(); position++) {
            double value = attribute.of(candidates, position);
            double share = high > low ? Math.clamp((value - low) / (high - low), 0, 1) : lowerIsBetter ? 0 : 1;
            scores[position] = Double.isNaN(value) ? 0 : lowerIsBetter ? 1 - share : share;
        }
    }
}
