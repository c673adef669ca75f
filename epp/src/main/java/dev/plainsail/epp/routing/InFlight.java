package dev.plainsail.epp.routing;

/**
 * The booking of one request on one endpoint. Holds the counters themselves, never a slot number. Several signals may end
 * it (access log, end of stream, age, scrapes); it ends once. Safe from any thread.
 */
public interface InFlight {
    /** The first token was seen: the prefill that is still booked is given back. Idempotent. */
    void firstToken();

    /** The request has ended. Idempotent. */
    void ended();
}
