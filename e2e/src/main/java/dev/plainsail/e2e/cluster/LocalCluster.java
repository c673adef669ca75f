package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.node.NodePlace;
import dev.plainsail.e2e.node.PodRunner;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Trees;
import dev.plainsail.e2e.realnode.RealNode;
import dev.plainsail.e2e.realnode.Unavailable;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kubernetes cluster to work with: by default one of our own, with control plane, Services, and two nodes that start pods
 * as processes; or an existing one ({@code PLAINSAIL_CLUSTER=existing}). Ours lives in one temporary folder and on one loopback
 * range, and ends with {@code close} or with this JVM, however that ends.
 */
public final class LocalCluster implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LocalCluster.class);
    private static final int LONGEST_FOLDER = 90; // a Unix socket inside must stay below 108 bytes

    private final Kubectl kubectl;
    private final KubernetesClient client;
    private final Deque<AutoCloseable> parts;
    private final Optional<ControlPlane> controlPlane;
    private final Optional<PodRunner> podRunner;
    private final Optional<Inside> inside;

    /** What a cluster with a real node has beside: the node, and the way into its network. */
    record Inside(RealNode node, Path egressSocket, String loopback) {}

    LocalCluster(
            Kubectl kubectl,
            KubernetesClient client,
            Deque<AutoCloseable> parts,
            Optional<ControlPlane> controlPlane,
            Optional<PodRunner> podRunner,
            Optional<Inside> inside) {
        this.kubectl = kubectl;
        this.client = client;
        this.parts = parts;
        this.controlPlane = controlPlane;
        this.podRunner = podRunner;
        this.inside = inside;
    }

    /** Starts, or finds, the cluster that the environment asks for; parts that die later are told on standard error. */
    public static LocalCluster start(Map<String, String> environment) {
        return start(environment, System.err::println);
    }

    /** @param onDeath told once, on any thread, when a part of the control plane ends by itself */
    public static LocalCluster start(Map<String, String> environment, Consumer<String> onDeath) {
        KubernetesBinaries binaries = new KubernetesBinaries(Cache.of(environment, Progress.console()), environment);
        String which = environment.getOrDefault("PLAINSAIL_CLUSTER", "local");
        return switch (which) {
            case "local", "" -> local(binaries.folder(), onDeath);
            case "existing" -> existing(binaries, environment);
            case "node" -> {
                try {
                    yield startWithNode(environment, onDeath);
                } catch (Unavailable e) {
                    throw new UserError(e.getMessage() + ": write PLAINSAIL_CLUSTER=local", e);
                }
            }
            default -> throw new UserError("PLAINSAIL_CLUSTER is '" + which + "': write local, node or existing");
        };
    }

    /** A cluster of our own with one real node: kubelet, containerd, a network of its own. Containers run in it as anywhere. */
    public static LocalCluster startWithNode(Map<String, String> environment, Consumer<String> onDeath)
            throws Unavailable {
        KubernetesBinaries binaries = new KubernetesBinaries(Cache.of(environment, Progress.console()), environment);
        Deque<AutoCloseable> parts = new ArrayDeque<>();
        try {
            LocalCluster cluster = NodeCluster.start(environment, binaries, onDeath, parts);
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "close the cluster"));
            return cluster;
        } catch (IOException e) {
            closeAll(parts);
            throw new UserError("the cluster did not start: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            closeAll(parts);
            Thread.currentThread().interrupt();
            throw new UserError("interrupted while the cluster started", e);
        } catch (Unavailable | RuntimeException e) {
            closeAll(parts);
            throw e;
        }
    }

    private static LocalCluster existing(KubernetesBinaries binaries, Map<String, String> environment) {
        String file = environment.getOrDefault("KUBECONFIG", "");
        if (file.isEmpty() || !Files.isReadable(Path.of(file))) {
            throw new UserError("PLAINSAIL_CLUSTER=existing needs KUBECONFIG to name a readable file");
        }
        KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Path.of(file).toFile()))
                .build();
        Kubectl kubectl = new Kubectl(binaries.folder().resolve("kubectl"), Path.of(file));
        return new LocalCluster(
                kubectl,
                client,
                new ArrayDeque<>(List.of(client)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    private static LocalCluster local(Path bin, Consumer<String> onDeath) {
        Deque<AutoCloseable> parts = new ArrayDeque<>();
        try {
            return local(bin, onDeath, parts);
        } catch (IOException e) {
            closeAll(parts);
            throw new UserError("the local cluster did not start: " + e.getMessage(), e);
        } catch (RuntimeException e) {
            closeAll(parts);
            throw e;
        }
    }

    private static LocalCluster local(Path bin, Consumer<String> onDeath, Deque<AutoCloseable> parts)
            throws IOException {
        Path folder = newFolder();
        LoopbackNet net = LoopbackNet.claim(RandomGenerator.getDefault());
        parts.push(net);
        ControlPlane controlPlane = new ControlPlane(bin, folder, ClusterNetwork.of(net), onDeath);
        parts.push(() -> cleanUp(controlPlane, folder));
        parts.push(controlPlane);
        KubernetesClient client = controlPlane.start();
        parts.push(client);
        SharedIndexInformer<Service> services =
                client.services().inAnyNamespace().inform();
        ControlPlaneFiles files = controlPlane.files();
        PodRunner podRunner = new PodRunner(
                client,
                folder.resolve("pods"),
                List.of(
                        new NodePlace("node-1", net.node(1), net.podPrefix(1)),
                        new NodePlace("node-2", net.node(2), net.podPrefix(2))),
                new PodRunner.Api(files.server(), files.authorityPem()),
                new ServiceVariables(() -> services.getStore().list(), net.controlPlane(), files.apiPort()),
                KubeletEndpoint.PORT);
        parts.push(podRunner);
        parts.push(
                new KubeletEndpoint(List.of(net.node(1), net.node(2)), files.kubelet(), files.authority(), podRunner));
        ServiceTable table = new ServiceTable(
                () -> services.getStore().list(),
                podRunner::pods,
                new InetSocketAddress(net.controlPlane(), files.apiPort()));
        parts.push(new EgressProxy(files.egressSocket(), table::route));
        ServiceProxy serviceProxy = new ServiceProxy(table);
        parts.push(serviceProxy);
        services.addEventHandler(serviceProxy);
        Kubectl kubectl = new Kubectl(bin.resolve("kubectl"), files.adminKubeconfig());
        LocalCluster cluster = new LocalCluster(
                kubectl, client, parts, Optional.of(controlPlane), Optional.of(podRunner), Optional.empty());
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "close the cluster"));
        return cluster;
    }

    static Path newFolder() throws IOException {
        Path folder = Files.createTempDirectory("plainsail-");
        if (folder.toString().length() <= LONGEST_FOLDER) {
            return folder;
        }
        Files.delete(folder);
        return Files.createTempDirectory(Path.of("/tmp"), "plainsail-");
    }

    /** The folder goes, unless a part died: then its logs may be wanted. */
    private static void cleanUp(ControlPlane controlPlane, Path folder) throws IOException {
        if (controlPlane.death().isEmpty()) {
            Trees.delete(folder);
        }
    }

    /** An administrator's client. */
    public KubernetesClient client() {
        return client;
    }

    /** An administrator's kubeconfig file. */
    public Path kubeconfig() {
        return kubectl.kubeconfig();
    }

    public Kubectl kubectl() {
        return kubectl;
    }

    /** Applies a file, a folder of files, or a kustomization. */
    public void apply(Path manifests) throws IOException, InterruptedException {
        boolean kustomization = Files.exists(manifests.resolve("kustomization.yaml"));
        kubectl.run("apply", kustomization ? "-k" : "-f", manifests.toString());
    }

    /** What runs the pods: its table of images, their logs. Only of our own cluster. */
    public PodRunner podRunner() {
        return podRunner.orElseThrow(
                () -> new UserError("the pods of an existing cluster run there: unset PLAINSAIL_CLUSTER"));
    }

    /** Whether pods are processes of this machine, from folders that stand for images. */
    public boolean runsPodsAsProcesses() {
        return podRunner.isPresent();
    }

    /** The real node, of a cluster that has one. */
    public RealNode realNode() {
        return inside.orElseThrow(() -> new UserError("this cluster has no real node: set PLAINSAIL_CLUSTER=node"))
                .node();
    }

    /** Where to connect to reach a pod or Service: itself, or for a real node a door of ours that leads there. */
    public InetSocketAddress reach(String address, int port) {
        if (inside.isEmpty()) {
            return new InetSocketAddress(address, port);
        }
        Inside way = inside.get();
        try {
            Forwarder door = new Forwarder(
                    new InetSocketAddress(way.loopback(), 0),
                    () -> NodeCluster.dial(way.egressSocket(), address, port));
            synchronized (this) {
                parts.push(door);
            }
            return door.address();
        } catch (IOException e) {
            throw new UserError("no way to " + address + ":" + port + ": " + e.getMessage(), e);
        }
    }

    /** The control plane's processes; none for an existing cluster. */
    public List<ChildProcess> controlPlane() {
        return controlPlane.map(ControlPlane::parts).orElse(List.of());
    }

    /** Kills the API server with SIGKILL, lets this be done without it, and starts it again; returns when it is ready. */
    public void withoutApiServer(Meanwhile meanwhile) throws Exception {
        ControlPlane own = controlPlane.orElseThrow(
                () -> new UserError("an existing cluster's API server is not ours to kill: unset PLAINSAIL_CLUSTER"));
        own.killApiServer();
        try {
            meanwhile.happens();
        } finally {
            own.startApiServer(client);
        }
    }

    /** What happens while the API server is away. */
    @FunctionalInterface
    public interface Meanwhile {
        void happens() throws Exception;
    }

    @Override
    public synchronized void close() {
        closeAll(parts);
    }

    private static void closeAll(Deque<AutoCloseable> parts) {
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                LOG.warn("{} did not close", part.getClass().getSimpleName(), e);
            }
        }
    }
}
