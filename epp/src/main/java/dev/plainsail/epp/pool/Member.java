package dev.plainsail.epp.pool;

import java.net.InetSocketAddress;
import java.util.Map;

/**
 * An eligible endpoint as a source sees it, before it has a slot.
 *
 * @param identity what makes it the same endpoint at the next look: namespace, name, UID and port; never the IP alone,
 *     which a cluster gives out again
 * @param name {@code namespace/pod}, with {@code -rank-N} appended for data-parallel ranks
 * @param address where it listens; another address under the same identity is another endpoint
 */
public record Member(String identity, String name, InetSocketAddress address, Map<String, String> labels) {
    public Member {
        labels = Map.copyOf(labels);
    }
}
