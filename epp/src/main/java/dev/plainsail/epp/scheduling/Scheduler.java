package dev.plainsail.epp.scheduling;

import dev.plainsail.epp.pool.Endpoint;
import java.util.Map;

/** The rules of one pool, with their state. Safe from several threads. */
public interface Scheduler {
    /** The profile that decides this request. */
    Profile profile(InferenceRequest request);

    /** Output tokens to charge for the request while it is in flight. */
    int expectedOutput(InferenceRequest request);

    /**
     * Whether a request that may be shed is.
     *
     * @param chance from 0 to 1, another one for each request
     */
    boolean sheds(Candidates candidates, double chance);

    /** Whether clients are told anything of decisions. */
    boolean tells();

    /** Response headers for clients whose request went to the endpoint; names in lower case. */
    Map<String, String> told(Endpoint endpoint);

    /** Tells those who learn from decisions what was chosen. Called once a request, on its event loop. */
    void chosen(InferenceRequest request, Candidates candidates, int position);
}
