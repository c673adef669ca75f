package dev.plainsail.epp.configuration;

import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.OutputTokens;

/** How many output tokens a request is charged for while it is in flight. */
final class OutputEstimate {
    private static final int MANY = Integer.MAX_VALUE;

    private OutputEstimate() {}

    static OutputTokens read(Parameters p) {
        boolean counted = p.flag("addEstimatedOutputTokens", false);
        double ratio = p.decimal("outputRatio", 1.5, 0, MANY);
        int cap = p.whole("maxEstimatedOutputTokens", MANY, 1, MANY);
        p.accepted("prefixMatchInfoProducerName", "syncCrossReplicaState");
        return counted ? request -> estimate(request, ratio, cap) : OutputTokens.NONE;
    }

    private static int estimate(InferenceRequest request, double ratio, int cap) {
        long guess = Math.min(Math.round(request.promptTokens() * ratio), cap);
        return (int) (request.maxTokens() >= 0 ? Math.min(guess, request.maxTokens()) : guess);
    }
}
