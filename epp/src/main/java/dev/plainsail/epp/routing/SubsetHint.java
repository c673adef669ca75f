package dev.plainsail.epp.routing;

import dev.plainsail.epp.pool.Endpoint;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Narrows endpoints to those that the proxy allows: {@code ip:port}, or {@code ip} for all ports of a pod. */
final class SubsetHint {
    private SubsetHint() {}

    static List<Endpoint> narrow(List<Endpoint> endpoints, List<String> subset) {
        Set<String> allowed = new HashSet<>(subset.size() * 2);
        for (String entry : subset) {
            allowed.add(entry.trim());
        }
        return endpoints.stream()
                .filter(endpoint -> allowed.contains(endpoint.hostPort()) || allowed.contains(ip(endpoint)))
                .toList();
    }

    private static String ip(Endpoint endpoint) {
        return endpoint.address().getAddress().getHostAddress();
    }
}
