package dev.plainsail.epp.pool;

/** Keeps pools up to date from somewhere, on a thread of its own, until it is closed. */
public interface EndpointSource extends AutoCloseable {
    /** Whether the pools have shown the whole truth at least once. */
    boolean synced();

    /** Seconds since the source last heard from where it reads; for a metric and the liveness check. */
    long secondsSinceHeard();

    @Override
    void close();
}
