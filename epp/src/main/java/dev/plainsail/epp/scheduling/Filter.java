package dev.plainsail.epp.scheduling;

/** Narrows the candidates. Called on event loops, for every request: no waiting, no logging, safe from several threads. */
public interface Filter {
    /** @return those that stay; none at all refuses the request as saturated */
    Candidates filter(InferenceRequest request, Candidates candidates);
}
