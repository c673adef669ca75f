package dev.plainsail.epp.pool;

import java.net.InetSocketAddress;
import java.util.Map;

/**
 * One address that serves a model: a (pod IP, port) pair, or one data-parallel rank of a pod.
 *
 * @param slot small integer that indexes the tables of load and prefixes; unique among live endpoints of the process and
 *     reused only after a rest (see {@link EndpointSet})
 * @param name {@code namespace/pod}, with {@code -rank-N} appended for data-parallel ranks; the identity in logs
 * @param pool name of the pool that it serves; a pod in two pools is two endpoints
 * @param address resolved address, never a host name
 * @param labels the pod's labels, or those given in the endpoints file
 */
public record Endpoint(int slot, String name, String pool, InetSocketAddress address, Map<String, String> labels) {
    public Endpoint {
        if (slot < 0 || address.isUnresolved()) {
            throw new IllegalArgumentException("slot " + slot + ", address " + address);
        }
        labels = Map.copyOf(labels);
    }

    /** {@code ip:port}, as the destination header and the metadata want it; an IPv6 address stands in brackets. */
    public String hostPort() {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }
}
