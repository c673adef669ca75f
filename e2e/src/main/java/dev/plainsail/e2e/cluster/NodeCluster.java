package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.process.Trees;
import dev.plainsail.e2e.realnode.RealNode;
import dev.plainsail.e2e.realnode.Unavailable;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** A control plane like the local cluster's, with one real node in place of those that start pods as processes. */
final class NodeCluster {

    static final String NODE = "node-1";
    private static final String ADDRESS = "172.31.9.1"; // of a network that nobody else sees
    private static final String SERVICES = "10.96.0.0/16";
    private static final String PODS = "10.245.0.0/24";
    private static final String KUBERNETES = "10.96.0.1";

    private NodeCluster() {}

    static LocalCluster start(
            Map<String, String> environment,
            KubernetesBinaries binaries,
            Consumer<String> onDeath,
            Deque<AutoCloseable> parts)
            throws IOException, InterruptedException, Unavailable {
        Optional<String> obstacle = RealNode.obstacle();
        if (obstacle.isPresent()) {
            throw new Unavailable(obstacle.get());
        }
        Cache cache = Cache.of(environment, Progress.console());
        Path packages = RealNode.packages(cache, environment);
        Path folder = LocalCluster.newFolder();
        LoopbackNet net = LoopbackNet.claim(RandomGenerator.getDefault());
        parts.push(net);
        ClusterNetwork.Node node = new ClusterNetwork.Node(NODE, ADDRESS);
        ClusterNetwork network =
                new ClusterNetwork(net.controlPlane(), SERVICES, KUBERNETES, List.of(NODE, ADDRESS), Optional.of(node));
        ControlPlane controlPlane = new ControlPlane(binaries.folder(), folder, network, onDeath);
        parts.push(() -> Trees.delete(folder));
        parts.push(controlPlane);
        KubernetesClient client = controlPlane.start();
        parts.push(client);
        ControlPlaneFiles files = controlPlane.files();
        InetSocketAddress apiServer = new InetSocketAddress(net.controlPlane(), files.apiPort());
        parts.push(new Forwarder(
                UnixDomainSocketAddress.of(NodeBridge.apiSocket(folder)), () -> SocketChannel.open(apiServer)));
        followNames(client, NodeBridge.dnsTable(folder));
        RealNode real = RealNode.start(
                folder.resolve("node"),
                packages,
                new RealNode.Settings(
                        NODE,
                        ADDRESS,
                        PODS,
                        RealNode.newControlGroup(),
                        folder.resolve("pki"),
                        folder,
                        new RealNode.Programs(
                                binaries.nodeProgram("kubelet"),
                                binaries.nodeProgram("kube-proxy"),
                                NodeBridge.command(folder, files.egressSocket(), node, files.apiPort()))));
        parts.push(real);
        real.loadBasics();
        Kubectl kubectl = new Kubectl(binaries.folder().resolve("kubectl"), files.adminKubeconfig());
        awaitReady(client, real);
        return new LocalCluster(
                kubectl,
                client,
                parts,
                Optional.of(controlPlane),
                Optional.empty(),
                Optional.of(new LocalCluster.Inside(real, files.egressSocket(), net.controlPlane())));
    }

    private static void awaitReady(KubernetesClient client, RealNode real) throws Unavailable {
        try {
            client.nodes()
                    .withName(NODE)
                    .waitUntilCondition(
                            node -> node != null
                                    && node.getStatus() != null
                                    && node.getStatus().getConditions() != null
                                    && node.getStatus().getConditions().stream()
                                            .anyMatch(condition -> condition
                                                            .getType()
                                                            .equals("Ready")
                                                    && condition.getStatus().equals("True")),
                            120,
                            TimeUnit.SECONDS);
        } catch (KubernetesClientTimeoutException e) {
            throw new Unavailable("the node does not become Ready on this machine: "
                    + real.death().orElse("its logs say nothing"));
        }
    }

    /** Keeps the table of names in step with the Services. */
    private static void followNames(KubernetesClient client, Path table) throws IOException {
        Files.writeString(table, "");
        SharedIndexInformer<Service> services =
                client.services().inAnyNamespace().inform();
        services.addEventHandler(new ResourceEventHandler<>() {
            @Override
            public void onAdd(Service service) {
                write(services.getStore().list(), table);
            }

            @Override
            public void onUpdate(Service before, Service now) {
                write(services.getStore().list(), table);
            }

            @Override
            public void onDelete(Service service, boolean unknown) {
                write(services.getStore().list(), table);
            }
        });
    }

    private static synchronized void write(Collection<Service> services, Path table) {
        String text = services.stream()
                .filter(service -> service.getSpec().getClusterIP() != null
                        && !service.getSpec().getClusterIP().equals("None"))
                .map(service -> service.getMetadata().getName() + "."
                        + service.getMetadata().getNamespace() + ".svc.cluster.local "
                        + service.getSpec().getClusterIP())
                .sorted()
                .collect(Collectors.joining("\n", "", "\n"));
        try {
            Path next = table.resolveSibling(table.getFileName() + ".next");
            Files.writeString(next, text);
            Files.move(next, table, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UserError("the node's table of names cannot be written: " + e.getMessage(), e);
        }
    }

    /** Connects to an address inside the node's network, as the API server does. */
    static SocketChannel dial(Path egressSocket, String address, int port) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(egressSocket));
        try {
            ByteBuffer ask = ByteBuffer.wrap(
                    ("CONNECT " + address + ":" + port + " HTTP/1.1\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            while (ask.hasRemaining()) {
                channel.write(ask);
            }
            String head = readHead(channel);
            if (!head.startsWith("HTTP/1.1 200 ")) {
                throw new IOException(address + ":" + port + " cannot be reached: "
                        + head.lines().findFirst().orElse("no answer"));
            }
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static String readHead(SocketChannel channel) throws IOException {
        StringBuilder head = new StringBuilder();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (head.indexOf("\r\n\r\n") < 0) {
            one.clear();
            if (channel.read(one) < 0) {
                break;
            }
            head.append((char) (one.get(0) & 0xff));
        }
        return head.toString();
    }
}
