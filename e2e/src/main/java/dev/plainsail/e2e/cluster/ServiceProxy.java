package dev.plainsail.e2e.cluster;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What kube-proxy does, for TCP and in user space: listens on every Service's cluster address and port, and carries each
 * connection to a ready pod. Ports that the user may not listen on (below 1024 without root) are skipped with a line in the
 * log; the API server's own way to Services does not need them. With no ready pod a connection is reset.
 */
final class ServiceProxy implements ResourceEventHandler<Service>, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ServiceProxy.class);

    private final ServiceTable table;
    private final Map<InetSocketAddress, ServerSocketChannel> listeners = new HashMap<>();

    ServiceProxy(ServiceTable table) {
        this.table = table;
    }

    @Override
    public void onAdd(Service service) {
        update(addresses(service), Set.of());
    }

    @Override
    public void onUpdate(Service before, Service now) {
        update(addresses(now), addresses(before));
    }

    @Override
    public void onDelete(Service service, boolean unknown) {
        update(Set.of(), addresses(service));
    }

    private static Set<InetSocketAddress> addresses(Service service) {
        Set<InetSocketAddress> all = new HashSet<>();
        String ip = service.getSpec().getClusterIP();
        if (ip == null || !ip.startsWith("127.")) {
            return all; // headless, or an external name
        }
        for (ServicePort port : service.getSpec().getPorts()) {
            if (!"UDP".equals(port.getProtocol())) {
                all.add(new InetSocketAddress(ip, port.getPort()));
            }
        }
        return all;
    }

    private synchronized void update(Set<InetSocketAddress> wanted, Set<InetSocketAddress> before) {
        for (InetSocketAddress address : before) {
            if (!wanted.contains(address)) {
                close(listeners.remove(address));
            }
        }
        for (InetSocketAddress address : wanted) {
            if (!listeners.containsKey(address)) {
                listen(address);
            }
        }
    }

    private synchronized void listen(InetSocketAddress address) {
        try {
            ServerSocketChannel server = ServerSocketChannel.open();
            try {
                server.bind(address, 1024);
            } catch (IOException e) {
                server.close();
                LOG.info("Service address {} is not served to pods: {}", address, e.getMessage());
                return;
            }
            listeners.put(address, server);
            Thread.ofVirtual().name("service " + address).start(() -> acceptAll(server, address));
        } catch (IOException e) {
            LOG.warn("Service address {} is not served to pods", address, e);
        }
    }

    private void acceptAll(ServerSocketChannel server, InetSocketAddress address) {
        while (server.isOpen()) {
            try {
                SocketChannel client = server.accept();
                Thread.ofVirtual().start(() -> carry(client, address));
            } catch (IOException e) {
                return; // the Service went
            }
        }
    }

    private void carry(SocketChannel client, InetSocketAddress address) {
        Optional<SocketChannel> backend = table.route(address).flatMap(ServiceProxy::dial);
        if (backend.isPresent()) {
            Pump.join(client, backend.get());
            return;
        }
        try {
            client.setOption(StandardSocketOptions.SO_LINGER, 0); // closes with a reset, as kube-proxy rejects
        } catch (IOException e) {
            LOG.debug("the client was faster", e);
        }
        Pump.close(client);
    }

    private static Optional<SocketChannel> dial(InetSocketAddress address) {
        try {
            SocketChannel channel = SocketChannel.open(address);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return Optional.of(channel);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static void close(@Nullable ServerSocketChannel server) {
        if (server != null) {
            try {
                server.close();
            } catch (IOException e) {
                LOG.debug("a listener did not close", e);
            }
        }
    }

    @Override
    public synchronized void close() {
        listeners.values().forEach(ServiceProxy::close);
        listeners.clear();
    }
}
