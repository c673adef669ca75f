package dev.plainsail.e2e.engine;

import java.time.Duration;

/**
 * How long an engine step takes: a fixed part (one pass over the weights), a part for each sequence in the batch, and the prompt tokens
 * that are computed in it at a rate. Everything is divided by {@code factor}, so that tests need not wait. The defaults are of the order
 * of an 8B model on one large GPU.
 *
 * @param prefillTokensPerSecond how fast prompt tokens that are not cached are computed
 * @param factor 10 makes the engine ten times as fast in everything
 */
record TimeModel(double prefillTokensPerSecond, Duration step, Duration stepPerSequence, double factor) {
    static final TimeModel DEFAULT = new TimeModel(10_000, Duration.ofMillis(8), Duration.ofNanos(100_000), 1);

    TimeModel {
        if (!(prefillTokensPerSecond > 0) || !(factor > 0) || step.isNegative() || stepPerSequence.isNegative()) {
            throw new IllegalArgumentException(
                    "rate " + prefillTokensPerSecond + ", factor " + factor + ", step " + step + ", step per sequence "
                            + stepPerSequence + ": the first two must be positive, no time negative");
        }
    }

    TimeModel faster(double times) {
        return new TimeModel(prefillTokensPerSecond, step, stepPerSequence, factor * times);
    }

    long stepNanos(int sequences, int prefillTokens) {
        double nanos = step.toNanos()
                + (double) sequences * stepPerSequence.toNanos()
                + prefillTokens / prefillTokensPerSecond * 1e9;
        return Math.round(nanos / factor);
    }
}
