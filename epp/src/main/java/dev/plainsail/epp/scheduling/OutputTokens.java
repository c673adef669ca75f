package dev.plainsail.epp.scheduling;

/** How many output tokens a request is expected to bring. Called once a request, on its event loop. */
public interface OutputTokens {
    /** They are not counted. */
    OutputTokens NONE = request -> 0;

    int of(InferenceRequest request);
}
