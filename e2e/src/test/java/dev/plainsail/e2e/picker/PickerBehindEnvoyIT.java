package dev.plainsail.e2e.picker;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.envoy.EnvoyBinary;
import dev.plainsail.e2e.envoy.EnvoyProcess;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The shipped picker and the shipped Envoy configuration, as processes, and a server that says what reached it. */
final class PickerBehindEnvoyIT {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Duration LONG = Duration.ofSeconds(90);

    private static Path program = Path.of("envoy");

    @TempDir
    static Path sharedFolder;

    @TempDir
    Path folder;

    private static Backend backend;
    private static PickerProcess sharedPicker;
    private final List<AutoCloseable> open = new ArrayList<>();
    private PickerProcess picker = sharedPicker;
    private EnvoyProcess envoy;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        program = EnvoyBinary.get(Cache.of(System.getenv(), Progress.console()), System.getenv());
        backend = new Backend();
        sharedPicker = PickerProcess.start(sharedFolder, List.of(backend.address()), 0);
    }

    @AfterAll
    static void closeShared() {
        sharedPicker.close();
        backend.close();
    }

    /** A picker that this test may stop; the others share one. */
    private void startOwnPicker(String... flags) throws IOException, InterruptedException {
        picker = PickerProcess.start(folder, List.of(backend.address()), 0, flags);
        open.add(picker);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private void startEnvoy(JsonNode configuration) throws IOException, InterruptedException {
        envoy = EnvoyProcess.start(program, ShippedEnvoy.text(configuration), folder.resolve("envoy"));
        open.add(envoy);
    }

    private HttpRequest.Builder post(BodyPublisher body) throws IOException, InterruptedException {
        InetSocketAddress listener = envoy.listener("inference");
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + listener.getPort() + "/upload"))
                .timeout(Duration.ofMinutes(2))
                .POST(body);
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    private void assertNothingSpurious() throws IOException, InterruptedException {
        assertThat(envoy.stats("ext_proc.spurious_msgs_received").values())
                .isNotEmpty()
                .allMatch(n -> n == 0);
        assertThat(envoy.stats("ext_proc.streams_failed").values()).allMatch(n -> n == 0);
        assertThat(envoy.stats("ext_proc.rejected_header_mutations").values()).allMatch(n -> n == 0);
    }

    /** CASES E2E-01, with the one external processor that we ship. */
    @Test
    void bodiesReachTheEndpointByteForByte() throws IOException, InterruptedException {
        startOwnPicker(); // what it counts is this test's
        startEnvoy(ShippedEnvoy.read(picker.port(), true));
        for (int size : new int[] {0, 1, 7, 1000, 61_999, 62_000, 62_001, 1 << 20, 20 << 20}) {
            byte[] body = new byte[size];
            new SplittableRandom(size).nextBytes(body);
            HttpResponse<String> whole = send(post(BodyPublishers.ofByteArray(body)));
            HttpResponse<String> chunked =
                    send(post(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))));
            assertThat(whole.body()).as("%d bytes", size).startsWith(Backend.digest(body));
            assertThat(chunked.body()).as("%d bytes, chunked", size).startsWith(Backend.digest(body));
            assertThat(whole.headers().firstValue("x-plainsail-endpoint"))
                    .hasValue("127.0.0.1:" + backend.address().getPort());
        }
        assertNothingSpurious();
        assertThat(picker.metric("plainsail_stream_failures_total")).isZero();
        assertThat(picker.metric("plainsail_protocol_violations_total")).isZero();
        await().atMost(LONG)
                .untilAsserted(() ->
                        assertThat(picker.metric("plainsail_outcomes_total")).isEqualTo(18));
    }

    /** Request mode, response header mode, response mode, trailer mode. */
    @ParameterizedTest
    @CsvSource({
        "FULL_DUPLEX_STREAMED, SEND, FULL_DUPLEX_STREAMED, SEND",
        "FULL_DUPLEX_STREAMED, SEND, NONE, SEND",
        "FULL_DUPLEX_STREAMED, SEND, STREAMED, SEND",
        "BUFFERED, SEND, BUFFERED, SKIP",
        "BUFFERED, SEND, NONE, SKIP",
        "BUFFERED_PARTIAL, SKIP, NONE, SKIP",
        "STREAMED, SEND, STREAMED, SKIP",
        "STREAMED, SKIP, NONE, SKIP",
        "NONE, SEND, NONE, SKIP"
    })
    void everyModeOfAGatewayWorks(String request, String headers, String response, String trailers)
            throws IOException, InterruptedException {
        JsonNode configuration = ShippedEnvoy.read(picker.port(), true);
        ShippedEnvoy.mode(configuration, request, headers, response, trailers);
        startEnvoy(configuration);
        for (int size : new int[] {0, 1, 5_000, 300_000}) {
            byte[] body = new byte[size];
            new SplittableRandom(size).nextBytes(body);
            assertThat(send(post(BodyPublishers.ofByteArray(body))).body()).startsWith(Backend.digest(body));
            assertThat(send(post(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))))
                            .body())
                    .startsWith(Backend.digest(body));
        }
        HttpResponse<String> streamed = send(post(BodyPublishers.ofString("x")).header("x-test-pieces", "5"));
        assertThat(streamed.body()).hasSize(5 * Backend.PIECE_BYTES);
        assertNothingSpurious();
    }

    @Test
    void killedInMidAnswerNoAnswerIsLost() throws Exception {
        startOwnPicker();
        startEnvoy(ShippedEnvoy.read(picker.port(), true));
        CompletableFuture<HttpResponse<String>> streamed = running("x-test-pieces", "20", "x-test-wait", "go");
        CompletableFuture<HttpResponse<String>> whole = running("x-test-wait", "go");
        awaitActive(2);
        picker.kill();
        assertThat(List.of(streamed, whole)).as("in mid answer").noneMatch(CompletableFuture::isDone);
        backend.go(2);
        assertThat(streamed.get(120, TimeUnit.SECONDS).body()).hasSize(20 * Backend.PIECE_BYTES);
        assertThat(whole.get(120, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertSaysTryAgain(send(post(BodyPublishers.ofString("x"))));
        open.add(PickerProcess.start(folder, List.of(backend.address()), picker.port()));
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(
                                send(post(BodyPublishers.ofString("x"))).statusCode())
                        .isEqualTo(200));
    }

    /** What Envoy says by itself has the shape of what the picker would have said. */
    private static void assertSaysTryAgain(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("content-type")).hasValue("application/json");
        assertThat(answer.headers().firstValue("retry-after")).hasValue("5");
        JsonNode error = JsonMapper.shared().readTree(answer.body()).path("error");
        assertThat(error.path("message").asString()).contains("try again");
        assertThat(error.path("type").asString()).isEqualTo("service_unavailable_error");
        assertThat(error.path("code").asString()).isEqualTo("gateway");
        assertThat(error.has("param")).isTrue();
    }

    @Test
    void anEndpointThatRefusesConnectionsIsA503WithAnErrorBody() throws IOException, InterruptedException {
        startOwnPicker();
        startEnvoy(ShippedEnvoy.read(picker.port(), true));
        InetSocketAddress gone = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 1);
        PickerProcess.write(folder.resolve("endpoints.yaml"), List.of(gone));
        await().atMost(LONG).untilAsserted(() -> assertSaysTryAgain(send(post(BodyPublishers.ofString("x")))));
    }

    @ParameterizedTest
    @CsvSource({"SKIP, NONE", "SEND, FULL_DUPLEX_STREAMED"})
    void whoAsksIsToldWhyInEveryMode(String headers, String response) throws IOException, InterruptedException {
        startOwnPicker("--explain");
        JsonNode configuration = ShippedEnvoy.read(picker.port(), true);
        ShippedEnvoy.mode(configuration, "FULL_DUPLEX_STREAMED", headers, response, "SEND");
        startEnvoy(configuration);
        String endpoint = "127.0.0.1:" + backend.address().getPort();
        HttpResponse<String> told = send(post(BodyPublishers.ofString("x")).header("x-plainsail-explain", "1"));
        assertThat(told.headers().allValues("x-plainsail-explain"))
                .singleElement()
                .satisfies(text -> assertThat(text)
                        .startsWith("pool=default; profile=default; chosen=" + endpoint)
                        .contains("candidates=1/1"));
        assertThat(send(post(BodyPublishers.ofString("x"))).headers().firstValue("x-plainsail-explain"))
                .isEmpty();
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(picker.get("/debug/decisions")).contains(endpoint));
        assertNothingSpurious();
    }

    @Test
    void nobodyIsToldWhyUnlessTheSettingAllowsIt() throws IOException, InterruptedException {
        startEnvoy(ShippedEnvoy.read(picker.port(), true));
        HttpResponse<String> answer = send(post(BodyPublishers.ofString("x")).header("x-plainsail-explain", "1"));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("x-plainsail-explain")).isEmpty();
    }

    @Test
    void theModelsOfSeveralPoolsAreListedByThePickerItself() throws IOException, InterruptedException {
        startOwnPicker();
        startEnvoy(ShippedEnvoy.read(picker.port(), true));
        String entry = "- {name: %s, address: 127.0.0.1, port: \""
                + backend.address().getPort() + "\", labels: {plainsail.dev/pool: %s}}\n";
        Files.writeString(
                folder.resolve("endpoints.yaml"),
                "endpoints:\n" + entry.formatted("x", "a") + entry.formatted("y", "b"));
        InetSocketAddress listener = envoy.listener("inference");
        HttpRequest.Builder models =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + listener.getPort() + "/v1/models"));
        await().atMost(LONG).untilAsserted(() -> {
            HttpResponse<String> answer = send(models);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("content-type")).hasValue("application/json");
            assertThat(answer.body()).isEqualTo("{\"object\":\"list\",\"data\":[{\"id\":\"test-model\"}]}");
        });
    }

    @Test
    void tokensOfAnswersThatPassAreCountedWhenAskedFor() throws IOException, InterruptedException {
        startOwnPicker("--response-usage");
        JsonNode duplex = ShippedEnvoy.read(picker.port(), true);
        ShippedEnvoy.mode(duplex, "FULL_DUPLEX_STREAMED", "SEND", "FULL_DUPLEX_STREAMED", "SEND");
        startEnvoy(duplex);
        assertThat(send(post(BodyPublishers.ofString("x")).header("x-test-usage", "41"))
                        .body())
                .contains("41");
        assertThat(send(post(BodyPublishers.ofString("x")).header("x-test-status", "500"))
                        .statusCode())
                .isEqualTo(500);
        await().atMost(LONG).untilAsserted(() -> {
            assertThat(picker.metric("llm_d_epp_request_output_tokens_sum")).isEqualTo(41);
            assertThat(picker.metric("llm_d_epp_request_ttft_seconds_count")).isEqualTo(2);
            assertThat(picker.get("/metrics")).contains("error_code=\"500\"");
        });
    }

    @Test
    void drainedInMidAnswerNoAnswerIsLostWhateverTheMode() throws Exception {
        startOwnPicker();
        JsonNode duplex = ShippedEnvoy.read(picker.port(), true);
        ShippedEnvoy.mode(duplex, "FULL_DUPLEX_STREAMED", "SEND", "FULL_DUPLEX_STREAMED", "SEND");
        startEnvoy(duplex);
        CompletableFuture<HttpResponse<String>> streamed = running("x-test-pieces", "20", "x-test-wait", "go");
        CompletableFuture<HttpResponse<String>> whole = running("x-test-wait", "go");
        awaitActive(2);
        picker.terminate();
        assertThat(List.of(streamed, whole)).as("in mid answer").noneMatch(CompletableFuture::isDone);
        backend.go(2);
        assertThat(streamed.get(120, TimeUnit.SECONDS).body()).hasSize(20 * Backend.PIECE_BYTES);
        assertThat(whole.get(120, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(picker.ended(LONG)).isTrue();
    }

    @Test
    void drainDoesNotWaitForAnswersThatPassUsBy() throws Exception {
        startOwnPicker();
        JsonNode headersShown = ShippedEnvoy.read(picker.port(), true);
        ShippedEnvoy.mode(headersShown, "FULL_DUPLEX_STREAMED", "SEND", "NONE", "SEND");
        startEnvoy(headersShown);
        CompletableFuture<HttpResponse<String>> whole = running("x-test-wait", "go");
        CompletableFuture<HttpResponse<String>> streamed = running("x-test-pieces", "40", "x-test-wait", "go");
        awaitActive(2);
        picker.terminate();
        assertThat(picker.ended(LONG)).isTrue();
        assertThat(List.of(streamed, whole))
                .as("still running when the picker had ended")
                .noneMatch(CompletableFuture::isDone);
        backend.go(2);
        assertThat(whole.get(120, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(streamed.get(120, TimeUnit.SECONDS).body()).hasSize(40 * Backend.PIECE_BYTES);
    }

    private static void awaitActive(int requests) {
        await().atMost(LONG).until(() -> backend.active() == requests);
    }

    private CompletableFuture<HttpResponse<String>> running(String... headers)
            throws IOException, InterruptedException {
        return CLIENT.sendAsync(
                post(BodyPublishers.ofString("x")).headers(headers).build(), BodyHandlers.ofString());
    }

    /** CASES MAN-07. */
    @Test
    void twoThousandRequestsAtOnceAreAllAnswered() throws Exception {
        startOwnPicker(); // what it counts is this test's
        startEnvoy(ShippedEnvoy.read(picker.port(), true));
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            all.add(running("x-test-delay", "1000"));
        }
        for (CompletableFuture<HttpResponse<String>> each : all) {
            HttpResponse<String> answer = each.get(120, TimeUnit.SECONDS);
            assertThat(answer.statusCode())
                    .as("%s %s %s", answer.headers().map(), answer.body(), envoy.stats("cluster.picker."))
                    .isEqualTo(200);
        }
        assertNothingSpurious();
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(picker.metric("plainsail_outcomes_total") + droppedLogEntries())
                        .as("%s", envoy.stats("access_log"))
                        .isEqualTo(2000));
    }

    /** What Envoy could not send to a picker that still answered slowly; it drops these rather than hold back requests. */
    private double droppedLogEntries() throws IOException, InterruptedException {
        return envoy.stat("access_logs.grpc_access_log.logs_dropped").orElse(0);
    }

    @Test
    void withoutEndpointsTheClientGets503WithAnErrorBody() throws IOException, InterruptedException {
        startOwnPicker();
        startEnvoy(ShippedEnvoy.read(picker.port(), true));
        PickerProcess.write(folder.resolve("endpoints.yaml"), List.of());
        await().atMost(LONG).untilAsserted(() -> {
            HttpResponse<String> refused = send(post(BodyPublishers.ofString("x")));
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("content-type")).hasValue("application/json");
            assertThat(refused.headers().firstValue("x-plainsail-reason")).hasValue("no-endpoint");
            assertThat(refused.headers().firstValue("retry-after")).isPresent();
            assertThat(refused.body()).startsWith("{\"error\":{\"message\":").contains("\"code\":\"no-endpoint\"");
        });
    }

    @Test
    void aClientCannotSteer() throws IOException, InterruptedException {
        startEnvoy(ShippedEnvoy.read(picker.port(), true));
        HttpResponse<String> answer = send(post(BodyPublishers.ofString("x"))
                .header("x-gateway-destination-endpoint", "127.0.0.1:1")
                .header("X-Prefiller-Host-Port", "10.0.0.1:6379"));
        assertThat(answer.body()).isEqualTo(Backend.digest(new byte[] {'x'}) + " prefiller=null");
    }

    @Test
    void aProxyThatPingsOftenKeepsItsConnections() throws IOException, InterruptedException {
        startOwnPicker("--secure-serving=false");
        JsonNode configuration = ShippedEnvoy.read(picker.port(), false);
        ((ObjectNode) ShippedEnvoy.cluster(configuration, "picker").findValue("connection_keepalive"))
                .put("interval", "0.2s")
                .put("timeout", "2s");
        startEnvoy(configuration);
        assertThat(send(post(BodyPublishers.ofString("x"))).statusCode()).isEqualTo(200);
        Thread.sleep(5000);
        assertThat(send(post(BodyPublishers.ofString("x"))).statusCode()).isEqualTo(200);
        assertThat(envoy.stats("cluster.picker.upstream_cx_destroy_remote").values())
                .allMatch(n -> n == 0);
        assertThat(envoy.stats("cluster.picker.upstream_cx_close_notify").values())
                .allMatch(n -> n == 0);
        assertThat(Files.exists(envoy.log())).isTrue();
    }
}
