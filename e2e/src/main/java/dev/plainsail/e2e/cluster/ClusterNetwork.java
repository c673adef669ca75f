package dev.plainsail.e2e.cluster;

import java.util.List;
import java.util.Optional;

/**
 * The addresses that a control plane is told.
 *
 * @param controlPlane the loopback address that its parts bind
 * @param kubernetesService the first address of the Service range
 * @param kubelets addresses at which the API server finds nodes' log endpoints
 * @param node the real node, if there is one
 */
record ClusterNetwork(
        String controlPlane,
        String serviceRange,
        String kubernetesService,
        List<String> kubelets,
        Optional<Node> node) {

    ClusterNetwork {
        kubelets = List.copyOf(kubelets);
    }

    /**
     * A machine with a kubelet.
     *
     * @param address its own, at which the API server can be reached from inside it
     */
    record Node(String name, String address) {}

    /** Nodes that start pods as processes: all on loopback addresses. */
    static ClusterNetwork of(LoopbackNet net) {
        return new ClusterNetwork(
                net.controlPlane(),
                net.serviceRange(),
                net.kubernetesService(),
                List.of(net.node(1), net.node(2)),
                Optional.empty());
    }
}
