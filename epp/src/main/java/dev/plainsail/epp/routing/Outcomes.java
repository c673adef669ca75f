package dev.plainsail.epp.routing;

/** Takes what the proxy reports about requests that have ended, and ends their bookings. Safe from any thread; bounded. */
public interface Outcomes {
    /** @param ticket of {@link dev.plainsail.epp.scheduling.InferenceRequest}; an unknown or expired one is counted and ignored */
    void accept(long ticket, Outcome outcome);
}
