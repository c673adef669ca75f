package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;

import dev.plainsail.e2e.Told;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.story.Checkout;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code plainsail-webhook} as a process beside the cluster, with settings of the test's choice and free ports. */
public final class WebhookProcess implements AutoCloseable {
    private static final String SERVING = "Server: serving";

    private final Process process;
    private final Path log;

    private WebhookProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    public static WebhookProcess start(LocalCluster cluster, String... flags) throws IOException {
        return start(cluster.kubeconfig(), flags);
    }

    static WebhookProcess start(Path kubeconfig, String... flags) throws IOException {
        Path program = Checkout.find().programs("webhook").resolve("plainsail-webhook");
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--bind-address=127.0.0.1",
                "--port=0",
                "--health-port=0",
                "--metrics-port=0",
                "--drain=0s"));
        command.addAll(List.of(flags));
        Path log = Files.createTempFile("plainsail-webhook-", ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JAVA_OPTS", "-Xmx128m -XX:TieredStopAtLevel=1");
        WebhookProcess started = new WebhookProcess(builder.start(), log);
        Runtime.getRuntime().addShutdownHook(new Thread(started.process::destroyForcibly));
        return started;
    }

    public WebhookProcess awaitServing() {
        await("the webhook to serve").atMost(Duration.ofMinutes(2)).until(() -> {
            if (!process.isAlive()) {
                throw new IllegalStateException("it ended: " + log());
            }
            return log().contains(SERVING);
        });
        return this;
    }

    /** Waits for its end. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            throw new IllegalStateException("it goes on");
        }
        return process.exitValue();
    }

    /** As a machine that is suspended: nothing runs, connections stay. */
    void suspend() throws IOException, InterruptedException {
        signal("STOP");
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (code != 0) {
            throw new IllegalStateException("it has ended: " + log());
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    public String log() throws IOException {
        return Files.readString(log);
    }

    /**
     * Of its log the lines about templates of that namespace. It watches them all, so what a test demands of the log must not
     * be said of the namespaces that other tests leave to be terminated meanwhile.
     */
    String log(String namespace) throws IOException {
        return String.join(
                "\n",
                log().lines()
                        .filter(line -> line.contains("template=\"" + namespace + "/"))
                        .toList());
    }

    /** How many templates it says to have made there; said after the API server has answered, so wait for it. */
    long made(String namespace) throws IOException {
        return log(namespace)
                .lines()
                .filter(line -> line.contains("created a template"))
                .count();
    }

    /** Where it answers reviews. */
    public int port() throws IOException {
        return listens("port");
    }

    private int listens(String key) throws IOException {
        return Told.port(log(), SERVING, key);
    }

    String metrics() throws IOException {
        try (InputStream in = URI.create("http://127.0.0.1:" + listens("metrics") + "/metrics")
                .toURL()
                .openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Heap after a full collection, and all that the process occupies, in words. */
    String memory() throws IOException, InterruptedException {
        String jcmd = Path.of(System.getProperty("java.home"), "bin/jcmd").toString();
        run(jcmd, Long.toString(process.pid()), "GC.run");
        double heap = Told.sum(metrics(), "jvm_memory_used_bytes{area=\"heap\"}");
        long resident = Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .sum();
        return "heap after GC %.0f MiB, RSS %d MiB".formatted(heap / (1 << 20), resident / 1024);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.waitFor();
    }

    @Override
    public void close() throws IOException {
        stop();
        Files.deleteIfExists(log);
    }

    /** As a rollout does: SIGTERM, time to drain. */
    void stop() {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
