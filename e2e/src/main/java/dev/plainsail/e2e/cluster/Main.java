package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Progress;
import java.time.Duration;

/** {@code e2e/cluster}: starts a cluster and keeps it until Ctrl-C. */
public final class Main {

    private Main() {}

    public static void main(String[] arguments) throws InterruptedException {
        long began = System.nanoTime();
        try {
            LocalCluster cluster = LocalCluster.start(System.getenv());
            System.out.println(
                    "Ready after " + Progress.elapsed(Duration.ofNanos(System.nanoTime() - began)) + ". Use it with");
            System.out.println("  export KUBECONFIG=" + cluster.kubeconfig());
            System.out.println("  alias kubectl=" + cluster.kubectl().program());
            System.out.println("Ctrl-C stops it.");
            Thread.currentThread().join();
        } catch (UserError e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
