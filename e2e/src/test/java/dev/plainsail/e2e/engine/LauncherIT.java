package dev.plainsail.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.process.ChildProcess;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The folder that stands in front of PATH, as built: engines as processes of their own. */
final class LauncherIT {
    private static final Path PROGRAMS =
            Path.of("target/dist/simulated-engine/bin").toAbsolutePath();
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    private static Map<String, String> environment() {
        return Map.of("PATH", PROGRAMS + ":" + System.getenv("PATH"), "JAVA_HOME", System.getProperty("java.home"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private ChildProcess start(List<String> words) throws IOException {
        return ChildProcess.start(new ChildProcess.Spec(
                "engine", words, environment(), folder, folder.resolve("engine-" + words.hashCode() + ".log")));
    }

    private static boolean answers(String url, Duration limit) throws InterruptedException {
        long until = System.nanoTime() + limit.toNanos();
        while (System.nanoTime() < until) {
            try {
                HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                        .timeout(Duration.ofSeconds(10))
                        .build();
                return CLIENT.send(request, BodyHandlers.ofString()).statusCode() == 200;
            } catch (IOException e) {
                Thread.sleep(20);
            }
        }
        return false;
    }

    @ParameterizedTest
    @CsvSource({
        "vllm serve tiny --host 127.0.0.1 --port PORT -tp 2",
        "python3 -m vllm.entrypoints.openai.api_server --model tiny --host 127.0.0.1 --port PORT",
        "python3 -u -m vllm.entrypoints.openai.api_server --model=tiny --host=127.0.0.1 --port=PORT",
        "python -m sglang.launch_server --model-path tiny --port PORT --tp 2 --enable-metrics",
    })
    void aCommandLineOfThePodStartsAnEngine(String line) throws Exception {
        int port = freePort();
        List<String> words = new ArrayList<>(
                List.of(line.replace("PORT", Integer.toString(port)).split(" ")));
        words.set(0, PROGRAMS.resolve(words.getFirst()).toString());
        ChildProcess engine = start(words);
        try {
            assertThat(answers("http://127.0.0.1:" + port + "/health", PATIENCE))
                    .as(engine.logTail(20))
                    .isTrue();
            assertThat(answers("http://127.0.0.1:" + port + "/metrics", PATIENCE))
                    .isTrue();
            engine.terminate();
            assertThat(engine.waitFor(PATIENCE)).isTrue();
        } finally {
            engine.stop(Duration.ofSeconds(1));
        }
    }

    private record Ran(int exitCode, String output) {}

    private Ran run(String... words) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(words).redirectErrorStream(true).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return new Ran(process.exitValue(), output);
    }

    @Test
    void aWrongFlagEndsItWithTheEnginesOwnWords() throws Exception {
        assertThat(run(PROGRAMS + "/vllm", "serve", "m", "--foo"))
                .isEqualTo(new Ran(2, "usage: vllm [options]\nvllm: error: unrecognized arguments: --foo\n"));
        assertThat(run(PROGRAMS + "/vllm", "serve", "m", "--port", "x"))
                .isEqualTo(
                        new Ran(
                                2,
                                "usage: vllm serve [model_tag] [options]\nvllm serve: error: argument --port: invalid int value: 'x'\n"));
        assertThat(run(PROGRAMS + "/python3", "-m", "sglang.launch_server", "--tp", "2")
                        .output())
                .endsWith("launch_server.py: error: the following arguments are required: --model-path/--model\n");
    }

    @Test
    void aPortThatIsTakenIsToldInOneLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0)) {
            Ran ran = run(
                    PROGRAMS + "/vllm",
                    "serve",
                    "m",
                    "--host",
                    "127.0.0.1",
                    "--port",
                    Integer.toString(taken.getLocalPort()));
            assertThat(ran.exitCode()).isEqualTo(1);
            assertThat(ran.output()).contains("ERROR cannot listen on 127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Test
    void everyOtherUseOfPythonIsTheRealOnes() throws Exception {
        Path other = Files.createDirectory(folder.resolve("other"));
        Path python = other.resolve("python3");
        Files.writeString(python, "#!/bin/sh\necho real \"$@\"\n");
        assertThat(python.toFile().setExecutable(true)).isTrue();
        Ran ran = run(
                "/usr/bin/env",
                "PATH=" + PROGRAMS + ":" + other + ":/usr/bin:/bin",
                PROGRAMS + "/python3",
                "-u",
                "-m",
                "pip",
                "a b");
        assertThat(ran).isEqualTo(new Ran(0, "real -u -m pip a b\n"));
        Ran none = run("/usr/bin/env", "PATH=" + PROGRAMS + ":/nowhere", "/bin/sh", PROGRAMS + "/python", "-V");
        assertThat(none.exitCode()).isNotZero();
    }
}
