package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.node.NodePlace;
import dev.plainsail.e2e.node.PodRunner;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Trees;
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

    private LocalCluster(
            Kubectl kubectl,
            KubernetesClient client,
            Deque<AutoCloseable> parts,
            Optional<ControlPlane> controlPlane,
            Optional<PodRunner> podRunner) {
        this.kubectl = kubectl;
        this.client = client;
        this.parts = parts;
        this.controlPlane = controlPlane;
        this.podRunner = podRunner;
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
            default -> throw new UserError("PLAINSAIL_CLUSTER is '" + which + "': write local or existing");
        };
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
        return new LocalCluster(kubectl, client, new ArrayDeque<>(List.of(client)), Optional.empty(), Optional.empty());
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
        ControlPlane controlPlane = new ControlPlane(bin, folder, net, onDeath);
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
        LocalCluster cluster =
                new LocalCluster(kubectl, client, parts, Optional.of(controlPlane), Optional.of(podRunner));
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "close the cluster"));
        return cluster;
    }

    private static Path newFolder() throws IOException {
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
