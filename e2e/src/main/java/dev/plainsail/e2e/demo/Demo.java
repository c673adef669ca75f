package dev.plainsail.e2e.demo;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.envoy.EnvoyBinary;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.story.Installation;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code e2e/demo}. */
@Command(
        name = "e2e/demo",
        mixinStandardHelpOptions = true,
        description = "Tells Plainsail's story on a local Kubernetes of real parts, with the proof of each step.")
public final class Demo implements Callable<Integer> {
    @Option(names = "--keep", description = "leave the cluster running afterwards, until Ctrl-C or --down")
    boolean keep;

    @Option(names = "--down", description = "stop a cluster that --keep left running")
    boolean down;

    @Option(names = "--vllm", description = "run the real vLLM on the CPU instead of the simulated engine")
    boolean vllm;

    @Option(names = "-v", description = "show what the parts log")
    boolean verbose;

    private final Map<String, String> environment;

    private Demo(Map<String, String> environment) {
        this.environment = environment;
    }

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Demo(System.getenv()))
                .setExecutionExceptionHandler(Demo::failed)
                .execute(arguments));
    }

    private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) throws Exception {
        if (e instanceof UserError || e instanceof IOException) {
            System.err.println("e2e/demo: " + e.getMessage());
            return 1;
        }
        throw e;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (verbose) {
            Logging.showAll();
        }
        Cache cache = Cache.of(environment, Progress.console());
        KeptCluster kept = new KeptCluster(cache);
        if (down) {
            System.out.println(kept.stop() ? "Stopped." : "No kept cluster runs.");
            return 0;
        }
        Screen screen = new Screen(
                System.out,
                Optional.ofNullable(System.console())
                        .filter(Console::isTerminal)
                        .isPresent());
        Checkout checkout = Checkout.find();
        Engine engine = vllm ? Engine.real(checkout, environment) : Engine.simulated(checkout);
        Path envoy = EnvoyBinary.get(cache, environment);
        long began = System.nanoTime();
        screen.step(
                "A Kubernetes of real parts: API server, scheduler, controllers, two nodes that start pods as processes");
        try (LocalCluster cluster = LocalCluster.start(environment)) {
            screen.proof(
                    "Cluster",
                    cluster.kubectl().run("version").lines().reduce("", (a, b) -> b) + ", ready after " + since(began));
            Installation.addImages(cluster, checkout, envoy, engine.programs(), engine.environment());
            new Story(cluster, checkout, screen, engine).tell();
            screen.table();
            System.out.println("\nAll of it took " + since(began) + ".");
            if (keep) {
                keepUntilStopped(kept, cluster);
            }
        }
        return 0;
    }

    private static void keepUntilStopped(KeptCluster kept, LocalCluster cluster)
            throws IOException, InterruptedException {
        System.out.println("""

                The cluster stays until Ctrl-C here, or e2e/demo --down elsewhere. Use it with
                  export KUBECONFIG=%s
                  alias kubectl=%s""".formatted(cluster.kubeconfig(), cluster.kubectl().program()));
        CountDownLatch stopped = new CountDownLatch(1);
        kept.register();
        try {
            stopped.await();
        } finally {
            kept.forget();
        }
    }

    private static String since(long began) {
        return Progress.elapsed(Duration.ofNanos(System.nanoTime() - began));
    }
}
