package dev.plainsail.e2e.webhook;

import static org.awaitility.Awaitility.await;

import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.story.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code plainsail-webhook} as a process beside the cluster, with settings of the test's choice and free ports. */
public final class WebhookProcess implements AutoCloseable {
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
            return log().contains("Server: serving");
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
