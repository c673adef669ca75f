package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;

/** A running local cluster: control plane, Services, and two nodes that start pods as processes. */
public final class LocalCluster implements AutoCloseable {

    private final Path bin;
    private final Path folder;
    private final LoopbackNet net;
    private final ControlPlane controlPlane;
    private final KubernetesClient client;
    private final AtomicBoolean closed = new AtomicBoolean();

    private LocalCluster(Path bin, Path folder, LoopbackNet net, ControlPlane controlPlane, KubernetesClient client) {
        this.bin = bin;
        this.folder = folder;
        this.net = net;
        this.controlPlane = controlPlane;
        this.client = client;
    }

    public static LocalCluster start(Map<String, String> environment) throws IOException {
        Path bin = new KubernetesBinaries(Cache.of(environment, Progress.console()), environment).folder();
        Path folder = Files.createTempDirectory("plainsail-");
        LoopbackNet net = LoopbackNet.claim(RandomGenerator.getDefault());
        ControlPlane controlPlane = new ControlPlane(bin, folder, net, System.err::println);
        KubernetesClient client = controlPlane.start();
        return new LocalCluster(bin, folder, net, controlPlane, client);
    }

    public KubernetesClient client() {
        return client;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            client.close();
            controlPlane.close();
            net.close();
        }
    }

    public static void main(String[] args) throws Exception {
        long t = System.nanoTime();
        LocalCluster c = start(System.getenv());
        System.out.println("ready " + (System.nanoTime() - t) / 1e9 + " " + c.folder);
        System.in.read();
        c.close();
        System.out.println("closed " + (System.nanoTime() - t) / 1e9);
    }
}
