package dev.plainsail.epp.scheduling;

/** Which profile decides a request. The seam for more than one: by header, by stage. Safe from several threads. */
public interface Scheduler {
    /** The profile that decides this request. */
    Profile profile(InferenceRequest request);

    /** Tells those who learn from decisions what was chosen. Called once a request, on its event loop. */
    void chosen(InferenceRequest request, Candidates candidates, int position);
}
