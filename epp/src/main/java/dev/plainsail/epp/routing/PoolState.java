package dev.plainsail.epp.routing;

import java.util.List;

/** What a pool's endpoints have to do at one moment, for people and metrics. NaN stands for what an engine did not say. */
public record PoolState(String name, List<EndpointState> endpoints) {
    /**
     * @param name {@code namespace/pod}
     * @param inFlight requests of ours
     * @param pendingPrefill prompt tokens of ours that it has not computed, as far as we know
     */
    public record EndpointState(
            String name,
            String hostPort,
            int inFlight,
            int pendingPrefill,
            double tokensPerSecond,
            double waiting,
            double running,
            double kvCacheUsed,
            boolean ejected) {}

    public PoolState {
        endpoints = List.copyOf(endpoints);
    }
}
