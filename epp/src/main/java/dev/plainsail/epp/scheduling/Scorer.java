package dev.plainsail.epp.scheduling;

/** Says how good each candidate is. Called on event loops, for every request: no waiting, no logging, safe from several threads. */
public interface Scorer {
    /**
     * Writes one score for each position: 1 is best, 0 worst; outside of that it is clamped; NaN is no opinion and
     * counts 0.
     *
     * @param candidates at least one
     * @param scores at least as long; every position must be written
     */
    void score(InferenceRequest request, Candidates candidates, double[] scores);
}
