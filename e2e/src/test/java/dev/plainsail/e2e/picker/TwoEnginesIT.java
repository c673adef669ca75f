package dev.plainsail.e2e.picker;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plainsail.e2e.Told;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.envoy.EnvoyBinary;
import dev.plainsail.e2e.envoy.EnvoyProcess;
import dev.plainsail.e2e.vllm.VllmInstallation;
import dev.plainsail.e2e.vllm.VllmProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The shipped picker and Envoy in front of two real vLLM engines on the CPU, with a tiny model. Whether a prompt was
 * found in a cache is judged by what the engines count, never by a clock. Skipped with one line when vLLM is not
 * installed.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class TwoEnginesIT {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Path LAUNCHER = Path.of("target/dist/vllm-cpu/bin").toAbsolutePath();
    private static final List<String> FLAGS =
            List.of("--served-model-name", "tiny/llama", "--enable-prompt-tokens-details");

    @TempDir
    static Path folder = Path.of("");

    private static final List<VllmProcess> engines = new ArrayList<>();
    private static final List<AutoCloseable> open = new ArrayList<>();
    private static URI gateway = URI.create("http://127.0.0.1");

    @BeforeAll
    static void start() throws Exception {
        boolean installed =
                VllmInstallation.wanted(System.getenv(), Path.of("vllm")).isPresent();
        if (!installed) {
            System.err.println("Tests with two real engines are skipped: " + VllmInstallation.HOW);
        }
        assumeTrue(installed, "the real vLLM is not installed");
        startEngine();
        startEngine();
        PickerProcess picker = PickerProcess.start(folder, addresses(), 0);
        open.add(picker);
        Path program = EnvoyBinary.get(Cache.of(System.getenv(), Progress.console()), System.getenv());
        EnvoyProcess envoy = EnvoyProcess.start(
                program, ShippedEnvoy.text(ShippedEnvoy.read(picker.port(), true)), folder.resolve("envoy"));
        open.add(envoy);
        gateway = URI.create("http://127.0.0.1:" + envoy.listener("inference").getPort());
    }

    private static VllmProcess startEngine() throws Exception {
        Path own = Files.createDirectory(folder.resolve("engine-" + engines.size()));
        VllmProcess engine = VllmProcess.start(LAUNCHER, System.getenv(), own, freePort(), FLAGS, Progress.console());
        engines.add(engine);
        open.add(engine);
        return engine;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static InetSocketAddress address(VllmProcess engine) {
        return new InetSocketAddress(
                InetAddress.ofLiteral("127.0.0.1"), engine.url().getPort());
    }

    private static List<InetSocketAddress> addresses() {
        return engines.stream().map(TwoEnginesIT::address).toList();
    }

    private static String hostPort(VllmProcess engine) {
        return "127.0.0.1:" + engine.url().getPort();
    }

    @AfterAll
    static void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private static HttpRequest request(String prompt, int tokens, boolean streamed) {
        String body = "{\"model\":\"tiny/llama\",\"prompt\":\"" + prompt + "\",\"max_tokens\":" + tokens
                + ",\"ignore_eos\":true,\"stream\":" + streamed + "}";
        return HttpRequest.newBuilder(gateway.resolve("/v1/completions"))
                .timeout(LONG)
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    private static HttpResponse<String> send(String prompt) throws IOException, InterruptedException {
        return CLIENT.send(request(prompt, 2, false), BodyHandlers.ofString());
    }

    private static String servedBy(HttpResponse<?> answer) {
        return answer.headers().firstValue("x-plainsail-endpoint").orElse("nobody");
    }

    private static double hits(VllmProcess engine) throws IOException, InterruptedException {
        HttpRequest metrics =
                HttpRequest.newBuilder(engine.url().resolve("/metrics")).build();
        return Told.sum(CLIENT.send(metrics, BodyHandlers.ofString()).body(), "vllm:prefix_cache_hits_total");
    }

    private static VllmProcess engine(String hostPort) {
        return engines.stream()
                .filter(each -> hostPort(each).equals(hostPort))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Order(1)
    void theSamePromptSticksAndItsSecondTimeComesFromTheCache() throws Exception {
        for (String word : List.of("alpha ", "beta ", "gamma ")) {
            String prompt = word.repeat(300);
            HttpResponse<String> first = send(prompt);
            assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
            VllmProcess engine = engine(servedBy(first));
            double before = hits(engine);
            HttpResponse<String> second = send(prompt);
            assertThat(servedBy(second)).isEqualTo(servedBy(first));
            JsonNode usage = JsonMapper.shared().readTree(second.body()).path("usage");
            int cached = usage.at("/prompt_tokens_details/cached_tokens").asInt();
            assertThat(cached)
                    .as(second.body())
                    .isGreaterThan(usage.path("prompt_tokens").asInt() / 2);
            assertThat(hits(engine) - before).isGreaterThanOrEqualTo(cached);
        }
    }

    @Test
    @Order(2)
    void otherPromptsAtOnceGoToBoth() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> running = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            running.add(CLIENT.sendAsync(
                    request("prompt number %d ".formatted(i).repeat(40), 64, false), BodyHandlers.ofString()));
        }
        Set<String> served = new HashSet<>();
        for (CompletableFuture<HttpResponse<String>> each : running) {
            HttpResponse<String> answer = each.get(LONG.toMinutes(), TimeUnit.MINUTES);
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            served.add(servedBy(answer));
        }
        assertThat(served).hasSize(2);
    }

    /** Noted for the reader; what is asserted is only that the answer is streamed and whole. */
    @Test
    @Order(3)
    void responseHeadersAreNotTheFirstToken() throws Exception {
        long start = System.nanoTime();
        HttpResponse<InputStream> answer = CLIENT.send(
                request("a long prompt that nobody has sent ".repeat(150), 4, true), BodyHandlers.ofInputStream());
        long headers = System.nanoTime() - start;
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            long data = System.nanoTime() - start;
            System.err.printf(
                    "vLLM, long prompt: response headers after %d ms, first data after %d ms%n",
                    TimeUnit.NANOSECONDS.toMillis(headers), TimeUnit.NANOSECONDS.toMillis(data));
            assertThat(line).startsWith("data: ");
            assertThat(lines.lines().toList()).contains("data: [DONE]");
        }
    }

    @Test
    @Order(4)
    void anEngineThatDiesIsLeftAndANewReplicaIsFoundAndWithoutAnyTheAnswerIs503() throws Exception {
        HttpResponse<InputStream> streamed =
                CLIENT.send(request("once upon a time ".repeat(20), 4000, true), BodyHandlers.ofInputStream());
        VllmProcess dying = engine(servedBy(streamed));
        VllmProcess surviving = engines.get(1 - engines.indexOf(dying));
        boolean whole = false;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(streamed.body(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).startsWith("data: ");
            dying.kill();
            whole = lines.lines().anyMatch("data: [DONE]"::equals);
        } catch (IOException | UncheckedIOException e) {
            assertThat(e).as("the stream broke off").isNotNull();
        }
        assertThat(whole).as("nobody can finish what the dead engine began").isFalse();
        await().atMost(LONG).until(() -> servedBy(send("after the death ")).equals(hostPort(surviving)));

        VllmProcess added = startEngine();
        engines.remove(dying);
        PickerProcess.write(folder.resolve("endpoints.yaml"), addresses());
        AtomicInteger prompts = new AtomicInteger();
        await().atMost(LONG).untilAsserted(() -> {
            List<CompletableFuture<HttpResponse<String>>> running = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                running.add(CLIENT.sendAsync(
                        request(
                                "%d is new "
                                        .formatted(prompts.incrementAndGet())
                                        .repeat(30),
                                32,
                                false),
                        BodyHandlers.ofString()));
            }
            Set<String> served = new HashSet<>();
            for (CompletableFuture<HttpResponse<String>> each : running) {
                served.add(servedBy(each.get(LONG.toMinutes(), TimeUnit.MINUTES)));
            }
            assertThat(served).contains(hostPort(added));
        });

        surviving.kill();
        added.kill();
        await().atMost(LONG).untilAsserted(() -> assertRefused(send("nobody is there"), "gateway"));
        PickerProcess.write(folder.resolve("endpoints.yaml"), List.of());
        await().atMost(LONG).untilAsserted(() -> assertRefused(send("nobody is there"), "no-endpoint"));
    }

    private static void assertRefused(HttpResponse<String> answer, String code) {
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("retry-after")).isPresent();
        assertThat(JsonMapper.shared().readTree(answer.body()).at("/error/code").asString())
                .isEqualTo(code);
    }
}
