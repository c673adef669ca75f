package dev.plainsail.e2e.vllm;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.LogTail;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One real vLLM server on loopback, started by its launcher as a pod would start it. Takes one to three minutes and 2 GB of memory. */
public final class VllmProcess implements AutoCloseable {
    private static final Duration READY = Duration.ofMinutes(15);
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration GRACE = Duration.ofSeconds(20);
    private static final int LOG_LINES = 25;

    private final ChildProcess process;
    private final URI url;

    private VllmProcess(ChildProcess process, URI url) {
        this.process = process;
        this.url = url;
    }

    /**
     * Starts {@code vllm serve} with the tiny model and waits until it is healthy.
     *
     * @param launcher the folder with the program {@code vllm}
     * @param folder for its log
     * @param arguments more flags
     * @throws UserError when it ends before it is healthy, or is not within eight minutes, with the end of its log
     */
    public static VllmProcess start(
            Path launcher,
            Map<String, String> environment,
            Path folder,
            int port,
            List<String> arguments,
            Progress progress)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(launcher.resolve("vllm").toString(), "serve", VllmInstallation.TINY_MODEL));
        command.addAll(List.of("--host", "127.0.0.1", "--port", Integer.toString(port)));
        command.addAll(List.of("--max-model-len", "8192", "--enforce-eager", "--dtype", "float32"));
        command.addAll(arguments);
        Path log = folder.resolve("vllm-" + port + ".log");
        ChildProcess process =
                ChildProcess.start(new ChildProcess.Spec("vllm", command, new HashMap<>(environment), folder, log));
        VllmProcess vllm = new VllmProcess(process, URI.create("http://127.0.0.1:" + port));
        try (Progress.Step step = progress.begin("Starting a real vLLM (one to three minutes)")) {
            vllm.awaitHealthy(step);
            step.done();
            return vllm;
        } catch (InterruptedException | RuntimeException e) {
            vllm.close();
            throw e;
        }
    }

    private void awaitHealthy(Progress.Step step) throws InterruptedException {
        HttpClient client =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
        HttpRequest health = HttpRequest.newBuilder(url.resolve("/health"))
                .timeout(Duration.ofSeconds(5))
                .build();
        long until = System.nanoTime() + READY.toNanos();
        while (!isHealthy(client, health)) {
            if (!process.isAlive()) {
                throw new UserError(
                        "vLLM ended at its start; the end of " + process.log() + ":\n" + process.logTail(LOG_LINES));
            }
            if (System.nanoTime() > until) {
                throw new UserError("vLLM was not healthy within " + READY.toMinutes() + " minutes; the end of "
                        + process.log() + ":\n" + process.logTail(LOG_LINES));
            }
            step.note(LogTail.of(process.log(), 1));
            Thread.sleep(PAUSE);
        }
    }

    private static boolean isHealthy(HttpClient client, HttpRequest health) throws InterruptedException {
        try {
            return client.send(health, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException e) {
            return false; // it does not listen yet
        }
    }

    /** Where to send requests to, without a slash at the end. */
    public URI url() {
        return url;
    }

    public long pid() {
        return process.pid();
    }

    public Path log() {
        return process.log();
    }

    /** Without a last word, as a node that dies. */
    public void kill() {
        process.kill();
    }

    @Override
    public void close() {
        process.stop(GRACE);
    }
}
