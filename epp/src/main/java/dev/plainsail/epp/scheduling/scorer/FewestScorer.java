package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.datalayer.Load;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;
import java.util.function.ToDoubleFunction;

/** The fewest of something reported is 1, the most 0, linear between; all equal are all 1. */
public final class FewestScorer implements Scorer {
    private final ToDoubleFunction<Load> number;

    private FewestScorer(ToDoubleFunction<Load> number) {
        this.number = number;
    }

    /** Requests in the engine's queue. */
    public static FewestScorer ofWaiting() {
        return new FewestScorer(Load::waiting);
    }

    /** Requests that the engine works on. */
    public static FewestScorer ofRunning() {
        return new FewestScorer(Load::running);
    }

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        double[] values = Known.of(candidates, number);
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        for (double value : values) {
            least = Math.min(least, value);
            most = Math.max(most, value);
        }
        for (int position = 0; position < values.length; position++) {
            scores[position] = most > least ? (most - values[position]) / (most - least) : 1;
        }
    }
}
