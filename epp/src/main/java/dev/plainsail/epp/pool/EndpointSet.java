package dev.plainsail.epp.pool;

import java.util.List;

/**
 * The eligible endpoints of one pool at one moment.
 *
 * <p>A slot that is freed rests for 60 s, longer than any decision takes, before it is given out again, so a slot read
 * from a set never means another endpoint while the set is in use.
 *
 * @param version grows with each change; equal versions are equal sets
 * @param endpoints in slot order
 */
public record EndpointSet(long version, List<Endpoint> endpoints) {
    public EndpointSet {
        endpoints = List.copyOf(endpoints);
    }
}
