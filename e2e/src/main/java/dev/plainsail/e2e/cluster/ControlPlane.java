package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.process.ChildProcess;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * etcd, kube-apiserver, kube-controller-manager and kube-scheduler as child processes on the cluster's own loopback
 * addresses, each with a clean environment and a log file under {@code log/}. A part that ends by itself is reported once,
 * in one line with the end of its log.
 */
final class ControlPlane implements AutoCloseable {

    private static final String API_SERVER = "kube-apiserver";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration STOP_GRACE = Duration.ofSeconds(5);

    private final Path bin;
    private final Path folder;
    private final Consumer<String> onDeath;
    private final List<ChildProcess> parts = new CopyOnWriteArrayList<>();
    private final AtomicReference<Optional<String>> death = new AtomicReference<>(Optional.empty());
    private final ControlPlaneFiles files;
    /** Killed on purpose, so no death to report. */
    private final Set<ChildProcess> killed = ConcurrentHashMap.newKeySet();

    private volatile boolean stopping;

    /** @param onDeath told once when a part ends by itself after the start; any thread */
    ControlPlane(Path bin, Path folder, ClusterNetwork net, Consumer<String> onDeath) throws IOException {
        this.bin = bin;
        this.folder = folder;
        this.onDeath = onDeath;
        this.files = ControlPlaneFiles.write(folder, net, Instant.now());
        Files.createDirectories(folder.resolve("log"));
        Files.createDirectories(folder.resolve("home"));
    }

    ControlPlaneFiles files() {
        return files;
    }

    /** Returns when the API server is ready and the controllers have made the first ServiceAccount. */
    KubernetesClient start() throws IOException {
        try {
            return startAll();
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private KubernetesClient startAll() throws IOException {
        part("etcd", files.etcd());
        part(API_SERVER, files.apiServer());
        Config config = Config.fromKubeconfig(files.adminKubeconfig().toFile());
        config.setRequestRetryBackoffLimit(0);
        KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build();
        await("the API server to be ready", () -> "ok".equals(client.raw("/readyz")));
        part("kube-controller-manager", files.controllerManager());
        part("kube-scheduler", files.scheduler());
        await(
                "the first ServiceAccount",
                () -> client.serviceAccounts()
                                .inNamespace("default")
                                .withName("default")
                                .get()
                        != null);
        return client;
    }

    private void part(String name, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(bin.resolve(name).toString()));
        command.addAll(arguments);
        Map<String, String> environment =
                Map.of("PATH", "/usr/bin:/bin", "HOME", folder.resolve("home").toString());
        ChildProcess child = ChildProcess.start(new ChildProcess.Spec(
                name, command, environment, folder, folder.resolve("log").resolve(name + ".log")));
        parts.add(child);
        Thread.ofVirtual()
                .name(name + " watch")
                .start(() -> ended(child, child.exit().join()));
    }

    private void ended(ChildProcess child, int code) {
        if (stopping || killed.contains(child)) {
            return;
        }
        String message = child.name() + " ended with exit code " + code + "; the end of " + child.log() + ":\n"
                + child.logTail(12);
        if (death.compareAndSet(Optional.empty(), Optional.of(message))) {
            onDeath.accept(message);
        }
    }

    /** SIGKILL to the API server, as when its machine dies; the other parts go on and wait for it. */
    void killApiServer() throws InterruptedException {
        List<ChildProcess> servers =
                parts.stream().filter(part -> part.name().equals(API_SERVER)).toList();
        killed.addAll(servers);
        parts.removeAll(servers);
        for (ChildProcess server : servers) {
            server.kill();
            server.waitFor(STOP_GRACE);
        }
    }

    /** Returns when it is ready. */
    void startApiServer(KubernetesClient client) throws IOException {
        part(API_SERVER, files.apiServer());
        await("the API server to be ready", () -> "ok".equals(client.raw("/readyz")));
    }

    /** What was said about the first part that ended by itself. */
    Optional<String> death() {
        return death.get();
    }

    /** The running parts' names and pids. */
    List<ChildProcess> parts() {
        return List.copyOf(parts);
    }

    private void await(String what, BooleanSupplier ready) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isTrue(ready)) {
            death().ifPresent(message -> {
                throw new UserError("the cluster did not start: " + message);
            });
            if (System.nanoTime() > end) {
                throw new UserError("the cluster did not start: waited " + PATIENCE.toSeconds() + " s for " + what
                        + "; its logs are in " + folder.resolve("log"));
            }
            sleep();
        }
    }

    private static boolean isTrue(BooleanSupplier ready) {
        try {
            return ready.getAsBoolean();
        } catch (KubernetesClientException e) {
            return false; // not yet
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserError("interrupted while the cluster started", e);
        }
    }

    /** Stops the parts in reverse order, so that none complains about another. */
    @Override
    public void close() {
        stopping = true;
        List<ChildProcess> last = new ArrayList<>(parts);
        for (ChildProcess part : last.reversed()) {
            if (!part.name().equals("etcd")) {
                part.terminate();
            }
        }
        for (ChildProcess part : last.reversed()) {
            part.stop(STOP_GRACE);
        }
        parts.clear();
    }
}
