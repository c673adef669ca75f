package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Progress;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code plainsail-cluster}: starts a cluster and keeps it until Ctrl-C. */
@Command(
        name = "plainsail-cluster",
        mixinStandardHelpOptions = true,
        description = "Starts a Kubernetes control plane of processes, on loopback and without root, and keeps it until"
                + " Ctrl-C. PLAINSAIL_CLUSTER=node: with a kubelet and containerd, for root.")
public final class Main implements Callable<Integer> {

    private Main() {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        long began = System.nanoTime();
        try {
            LocalCluster cluster = LocalCluster.start(System.getenv());
            System.out.println(
                    "Ready after " + Progress.elapsed(Duration.ofNanos(System.nanoTime() - began)) + ". Use it with");
            System.out.println("  export KUBECONFIG=" + cluster.kubeconfig());
            System.out.println("  alias kubectl=" + cluster.kubectl().program());
            System.out.println("Ctrl-C stops it.");
            Thread.currentThread().join();
            return 0;
        } catch (UserError e) {
            System.err.println(e.getMessage());
            return 1;
        }
    }
}
