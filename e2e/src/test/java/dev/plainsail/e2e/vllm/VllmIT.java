package dev.plainsail.e2e.vllm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plainsail.e2e.Told;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.engine.SimulatedEngine;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The real vLLM answers, caches prefixes, and is what the simulated engine pretends to be: the same requests go to both. Skipped with one
 * line when vLLM is not installed.
 */
final class VllmIT {
    /** By default Java's client offers an upgrade to HTTP/2, and vLLM's server then sees no body. */
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static final int BLOCK = 128;
    private static final List<String> SAME =
            List.of("--served-model-name", "tiny/llama", "--enable-prompt-tokens-details");

    @TempDir
    static Path folder = Path.of("");

    private static Optional<VllmInstallation> installation = Optional.empty();
    private static Optional<VllmProcess> real = Optional.empty();
    private static Optional<SimulatedEngine> simulated = Optional.empty();

    @BeforeAll
    static void start() throws Exception {
        installation = VllmInstallation.wanted(System.getenv(), Path.of("vllm"));
        if (installation.isEmpty()) {
            System.err.println("Tests with the real vLLM are skipped: " + VllmInstallation.HOW
                    + ", or set PLAINSAIL_VLLM=install");
        }
        assumeTrue(installation.isPresent(), "the real vLLM is not installed");
        Path launcher = Path.of("target/dist/vllm-cpu/bin").toAbsolutePath();
        real = Optional.of(VllmProcess.start(launcher, System.getenv(), folder, freePort(), SAME, Progress.console()));
        simulated = Optional.of(SimulatedEngine.start(List.of(
                "plainsail/tiny",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--max-model-len",
                "8192",
                "--sim-time-factor",
                "50",
                SAME.get(0),
                SAME.get(1),
                SAME.get(2))));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @AfterAll
    static void stop() throws IOException {
        real.ifPresent(VllmProcess::close);
        if (simulated.isPresent()) {
            simulated.get().close();
        }
    }

    private static URI realUrl() {
        return real.orElseThrow().url();
    }

    private static URI simulatedUrl() {
        return URI.create(simulated.orElseThrow().url());
    }

    private static HttpResponse<String> post(URI server, String path, String body) throws Exception {
        return CLIENT.send(
                HttpRequest.newBuilder(server.resolve(path))
                        .timeout(Duration.ofMinutes(2))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private static String metrics(URI server) throws Exception {
        return CLIENT.send(HttpRequest.newBuilder(server.resolve("/metrics")).build(), BodyHandlers.ofString())
                .body();
    }

    private static double metric(URI server, String name) throws Exception {
        return Told.sum(metrics(server), "vllm:" + name);
    }

    @Test
    void aRepeatedPromptIsAHitInTheRealMetrics() throws Exception {
        String body = "{\"prompt\":\"" + "the quick brown fox jumps over the lazy dog ".repeat(60)
                + "\",\"max_tokens\":4," + "\"ignore_eos\":true}";
        double before = metric(realUrl(), "prefix_cache_hits_total");
        JsonNode first = json(post(realUrl(), "/v1/completions", body).body());
        JsonNode second = json(post(realUrl(), "/v1/completions", body).body());
        int prompt = first.at("/usage/prompt_tokens").asInt();
        int expected = (prompt - 1) / BLOCK * BLOCK;
        assertThat(expected).isPositive();
        assertThat(first.at("/usage/prompt_tokens_details/cached_tokens").asInt())
                .isZero();
        assertThat(second.at("/usage/prompt_tokens_details/cached_tokens").asInt())
                .isEqualTo(expected);
        assertThat(metric(realUrl(), "prefix_cache_hits_total") - before).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/completions | {\"prompt\":\"the quick brown fox\",\"max_tokens\":2,\"ignore_eos\":true}",
                "/v1/completions | {\"prompt\":[\"a\",\"b\"],\"max_tokens\":2,\"n\":2,\"ignore_eos\":true}",
                "/v1/completions | {\"prompt\":[1,2,3],\"max_tokens\":2,\"ignore_eos\":true}",
                "/v1/completions | {\"prompt\":\"x\",\"max_tokens\":2,\"ignore_eos\":true,\"stream\":true,\"stream_options\":{\"include_usage\":true}}",
                "/v1/chat/completions | {\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"max_tokens\":2,\"ignore_eos\":true}",
                "/v1/chat/completions | {\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"max_tokens\":2,\"ignore_eos\":true,\"stream\":true,\"stream_options\":{\"include_usage\":true}}",
                "/v1/completions | {\"model\":\"nope\",\"prompt\":\"x\"}",
                "/v1/completions | {\"max_tokens\":2}",
                "/v1/completions | {\"prompt\":[],\"max_tokens\":2}",
                "/v1/completions | {\"prompt\":\"x\",\"max_tokens\":0}",
                "/v1/completions | {\"prompt\":\"x\",\"max_tokens\":99999}",
                "/v1/completions | {\"prompt\":\"x\",\"max_tokens\":\"abc\"}",
                "/v1/completions | {\"prompt\":\"x\",\"stream\":\"maybe\"}",
                "/v1/completions | {\"prompt\":\"x\",\"stream_options\":{\"include_usage\":true}}",
                "/v1/completions | {\"prompt\":\"x\",\"n\":0}",
                "/v1/chat/completions | {\"max_tokens\":2}",
                "/v1/chat/completions | {\"messages\":\"x\"}",
                "/v1/completions | [1]",
                "/tokenize | {\"prompt\":\"the lazy dog\"}",
                "/nothing | {}",
            })
    void theSimulatedEngineAnswersInTheSameShape(String path, String body) throws Exception {
        HttpResponse<String> one = post(realUrl(), path, body);
        HttpResponse<String> other = post(simulatedUrl(), path, body);
        assertThat(other.statusCode()).isEqualTo(one.statusCode());
        assertThat(other.headers().firstValue("content-type"))
                .isEqualTo(one.headers().firstValue("content-type"));
        assertThat(shape(other.body())).isEqualTo(shape(one.body()));
    }

    /** A body without what may differ: ids, times, generated text, token counts of the two tokenizers. */
    private static String shape(String body) {
        return body.replaceAll("\"(id|text|content|system_fingerprint)\":\"(\\\\.|[^\"\\\\])*\"", "\"$1\":\"\"")
                .replaceAll("\"(created|prompt_tokens|total_tokens|count)\":\\d+", "\"$1\":0")
                .replaceAll("\"tokens\":\\[[0-9,]*]", "\"tokens\":[]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health", "/version", "/v1/completions", "/nothing"})
    void andToAPlainGet(String path) throws Exception {
        HttpResponse<String> one =
                CLIENT.send(HttpRequest.newBuilder(realUrl().resolve(path)).build(), BodyHandlers.ofString());
        HttpResponse<String> other =
                CLIENT.send(HttpRequest.newBuilder(simulatedUrl().resolve(path)).build(), BodyHandlers.ofString());
        assertThat(other.statusCode()).isEqualTo(one.statusCode());
        assertThat(other.body()).isEqualTo(one.body());
    }

    @Test
    void bothHaveTheSameMetricsInTheSameOrder() throws Exception {
        assertThat(withoutValues(metrics(simulatedUrl()))).isEqualTo(withoutValues(metrics(realUrl())));
    }

    private static List<String> withoutValues(String text) {
        return text.lines()
                .filter(line ->
                        line.startsWith("vllm:") || line.startsWith("# HELP vllm:") || line.startsWith("# TYPE vllm:"))
                .map(line -> line.startsWith("#") ? line : line.substring(0, line.lastIndexOf(' ')))
                .map(line ->
                        line.startsWith("vllm:cache_config_info{") ? line.replaceAll("=\"[^\"]*\"", "=\"\"") : line)
                .toList();
    }

    @Test
    void theListOfFlagsIsTheRealParsers() throws Exception {
        Process process = new ProcessBuilder(
                        installation.orElseThrow().python().toString(), "src/main/vllm/list_flags.py")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try (InputStream in = Objects.requireNonNull(SimulatedEngine.class.getResourceAsStream("vllm-flags.tsv"))) {
            assertThat(printed.lines().toList())
                    .isEqualTo(new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList());
        }
    }

    @Test
    void theScriptInstallsTheVersionThatIsLookedFor() throws Exception {
        assertThat(Files.readString(Path.of("vllm"))).contains("\nVERSION=" + VllmInstallation.VERSION + "\n");
        assertThat(Files.readString(Path.of("src/main/dist/lib/run-vllm")))
                .contains("/vllm-" + VllmInstallation.VERSION + "}");
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }
}
