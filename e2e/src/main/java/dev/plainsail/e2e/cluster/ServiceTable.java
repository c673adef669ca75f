package dev.plainsail.e2e.cluster;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * From a Service's cluster address and port to a ready pod that serves it: by the Service's selector and target port,
 * since the API server takes no loopback addresses into EndpointSlices. Ready pods take turns.
 */
final class ServiceTable {

    private final Supplier<? extends Collection<Service>> services;
    private final Supplier<? extends Collection<Pod>> pods;
    private final InetSocketAddress apiServer;
    private final AtomicInteger turn = new AtomicInteger();

    /** The suppliers give the current objects; they are called for every connection. */
    ServiceTable(
            Supplier<? extends Collection<Service>> services,
            Supplier<? extends Collection<Pod>> pods,
            InetSocketAddress apiServer) {
        this.services = services;
        this.pods = pods;
        this.apiServer = apiServer;
    }

    /** Where to dial for an address: a ready pod for a Service's, itself for any other; empty when no pod is ready. */
    Optional<InetSocketAddress> route(InetSocketAddress asked) {
        for (Service service : services.get()) {
            if (asked.getHostString().equals(service.getSpec().getClusterIP())) {
                return service.getSpec().getPorts().stream()
                        .filter(port -> port.getPort() == asked.getPort())
                        .findFirst()
                        .flatMap(port -> backend(service, port));
            }
        }
        return Optional.of(new InetSocketAddress(asked.getHostString(), asked.getPort()));
    }

    Optional<InetSocketAddress> backend(Service service, ServicePort port) {
        if (service.getMetadata().getName().equals("kubernetes")
                && service.getMetadata().getNamespace().equals("default")) {
            return Optional.of(apiServer);
        }
        List<InetSocketAddress> ready = pods.get().stream()
                .filter(pod -> serves(service, pod))
                .sorted(Comparator.comparing(pod -> pod.getMetadata().getUid()))
                .flatMap(pod -> address(pod, port).stream())
                .toList();
        return ready.isEmpty()
                ? Optional.empty()
                : Optional.of(ready.get(Math.floorMod(turn.getAndIncrement(), ready.size())));
    }

    private static boolean serves(Service service, Pod pod) {
        Map<String, String> selector = service.getSpec().getSelector();
        if (selector == null
                || selector.isEmpty()
                || !pod.getMetadata()
                        .getNamespace()
                        .equals(service.getMetadata().getNamespace())
                || pod.getMetadata().getLabels() == null
                || !pod.getMetadata().getLabels().entrySet().containsAll(selector.entrySet())) {
            return false;
        }
        if (pod.getStatus() == null || pod.getStatus().getPodIP() == null) {
            return false;
        }
        boolean ready = pod.getMetadata().getDeletionTimestamp() == null
                && pod.getStatus().getConditions().stream()
                        .anyMatch(c ->
                                c.getType().equals("Ready") && c.getStatus().equals("True"));
        return ready || Boolean.TRUE.equals(service.getSpec().getPublishNotReadyAddresses());
    }

    private static Optional<InetSocketAddress> address(Pod pod, ServicePort port) {
        String ip = pod.getStatus().getPodIP();
        IntOrString target = port.getTargetPort();
        if (target == null) {
            return Optional.of(new InetSocketAddress(ip, port.getPort()));
        }
        if (target.getStrVal() == null) {
            return Optional.of(new InetSocketAddress(ip, target.getIntVal()));
        }
        return pod.getSpec().getContainers().stream()
                .map(Container::getPorts)
                .flatMap(List::stream)
                .filter(p -> target.getStrVal().equals(p.getName()))
                .map(ContainerPort::getContainerPort)
                .map(number -> new InetSocketAddress(ip, number))
                .findFirst();
    }
}
