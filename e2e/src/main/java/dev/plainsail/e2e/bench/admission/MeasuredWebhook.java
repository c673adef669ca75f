package dev.plainsail.e2e.bench.admission;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The packaged webhook as a process on one core, and what the kernel says of it. */
final class MeasuredWebhook implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long TICKS_A_SECOND = 100;

    private final Process process;
    private final Path log;
    private final int port;
    private final Duration ready;

    private MeasuredWebhook(Process process, Path log, int port, Duration ready) {
        this.process = process;
        this.log = log;
        this.port = port;
        this.ready = ready;
    }

    /** Ready when it returns. */
    static MeasuredWebhook start(Path program, Path kubeconfig, String core, String javaOptions)
            throws IOException, InterruptedException {
        int port = freePort();
        int health = freePort();
        Path log = Files.createTempFile("plainsail-webhook-", ".log");
        ProcessBuilder builder = new ProcessBuilder(
                        "taskset",
                        "-c",
                        core,
                        program.toString(),
                        "--bind-address=127.0.0.1",
                        "--port=" + port,
                        "--health-port=" + health,
                        "--metrics-port=0",
                        "--drain=0s")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JAVA_OPTS", javaOptions);
        long start = System.nanoTime();
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        awaitReady(process, health, log);
        return new MeasuredWebhook(process, log, port, Duration.ofNanos(System.nanoTime() - start));
    }

    private static void awaitReady(Process process, int health, Path log) throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        HttpRequest question = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + health + "/readyz"))
                .timeout(Duration.ofSeconds(5))
                .build();
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            while (process.isAlive() && System.nanoTime() < end) {
                try {
                    if (client.send(question, HttpResponse.BodyHandlers.discarding())
                                    .statusCode()
                            == 200) {
                        return;
                    }
                } catch (IOException e) {
                    // It does not listen yet.
                }
                TimeUnit.MILLISECONDS.sleep(10);
            }
        }
        process.destroyForcibly();
        throw new IOException("the webhook does not get ready: " + Files.readString(log));
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** From exec to the first 200 of /readyz. */
    Duration ready() {
        return ready;
    }

    /** Processor time of all its threads so far. */
    Duration processorTime() throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Duration.ofMillis((Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 1000 / TICKS_A_SECOND);
    }

    /** @param field {@code VmRSS} for now, {@code VmHWM} for the most so far */
    long memoryMebibytes(String field) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                .filter(line -> line.startsWith(field + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                .findFirst()
                .orElse(0);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** As a rollout does; waits for its end, so that it can write what it writes at its end. */
    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(log);
    }
}
