package dev.plainsail.epp.scheduling;

/** The rules of one pool, with their state. Safe from several threads. */
public interface Scheduler {
    /** The profile that decides this request. */
    Profile profile(InferenceRequest request);

    /** Output tokens to charge for the request while it is in flight. */
    int expectedOutput(InferenceRequest request);

    /** How full the pool is: 1 and above refuses requests that may be shed. */
    double saturation(Candidates candidates);

    /** Tells those who learn from decisions what was chosen. Called once a request, on its event loop. */
    void chosen(InferenceRequest request, Candidates candidates, int position);
}
