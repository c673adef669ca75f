package dev.plainsail.e2e.engine;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.e2e.Told;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class SimulatedEngineTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final String LONG_PROMPT = "the quick brown fox jumps over the lazy dog ".repeat(40);

    private static SimulatedEngine engine(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "tiny/llama",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--max-model-len",
                "8192",
                "--enable-prompt-tokens-details"));
        arguments.addAll(List.of("--sim-time-factor", "100"));
        arguments.addAll(List.of(more));
        return SimulatedEngine.start(arguments);
    }

    private static HttpRequest.Builder to(SimulatedEngine engine, String path) {
        return HttpRequest.newBuilder(URI.create(engine.url() + path))
                .header("content-type", "application/json")
                .timeout(Duration.ofMinutes(2));
    }

    private static HttpResponse<String> get(SimulatedEngine engine, String path) throws Exception {
        return CLIENT.send(to(engine, path).build(), BodyHandlers.ofString());
    }

    private static HttpResponse<String> post(SimulatedEngine engine, String path, String body) throws Exception {
        return CLIENT.send(
                to(engine, path).POST(HttpRequest.BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }

    private static double metric(SimulatedEngine engine, String name) {
        return Told.sum(engine.metrics(), "vllm:" + name);
    }

    @Test
    void aCompletionTellsItsTokensAndTheCountersFollow() throws Exception {
        try (SimulatedEngine engine = engine()) {
            JsonNode answer =
                    json(post(engine, "/v1/completions", "{\"prompt\":\"the quick brown fox\",\"max_tokens\":7}")
                            .body());
            assertThat(answer.at("/object").asString()).isEqualTo("text_completion");
            assertThat(answer.at("/model").asString()).isEqualTo("tiny/llama");
            assertThat(answer.at("/choices/0/finish_reason").asString()).isEqualTo("length");
            assertThat(answer.at("/choices/0/text").asString().strip().split(" "))
                    .hasSize(7);
            assertThat(answer.at("/usage/prompt_tokens").asInt()).isEqualTo(4);
            assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(7);
            assertThat(metric(engine, "prompt_tokens_total")).isEqualTo(4);
            assertThat(metric(engine, "generation_tokens_total")).isEqualTo(7);
            assertThat(metric(engine, "request_success_total")).isEqualTo(1);
            assertThat(metric(engine, "kv_cache_usage_perc")).isZero();
        }
    }

    @Test
    void aRepeatedPromptIsCachedInWholeBlocksButForItsLastToken() throws Exception {
        try (SimulatedEngine engine = engine("--block-size", "16")) {
            String body = "{\"prompt\":\"" + LONG_PROMPT + "\",\"max_tokens\":3}";
            JsonNode first = json(post(engine, "/v1/completions", body).body());
            JsonNode second = json(post(engine, "/v1/completions", body).body());
            int prompt = first.at("/usage/prompt_tokens").asInt();
            int expected = (prompt - 1) / 16 * 16;
            assertThat(first.at("/usage/prompt_tokens_details/cached_tokens").asInt())
                    .isZero();
            assertThat(second.at("/usage/prompt_tokens_details/cached_tokens").asInt())
                    .isEqualTo(expected);
            assertThat(metric(engine, "prefix_cache_queries_total")).isEqualTo(2 * prompt);
            assertThat(metric(engine, "prefix_cache_hits_total")).isEqualTo(expected);
            assertThat(second.at("/choices/0/text")).isEqualTo(first.at("/choices/0/text"));
        }
    }

    @Test
    void theNextTurnOfAChatFindsTheLastAnswerInTheCache() throws Exception {
        try (SimulatedEngine engine = engine("--block-size", "16")) {
            String user = "{\"role\":\"user\",\"content\":\"" + LONG_PROMPT + "\"}";
            JsonNode first = json(post(
                            engine,
                            "/v1/chat/completions",
                            "{\"messages\":[" + user + "],\"max_tokens\":64,\"ignore_eos\":true}")
                    .body());
            String answer = first.at("/choices/0/message/content").asString();
            String next = "{\"messages\":[" + user + ",{\"role\":\"assistant\",\"content\":\"" + answer
                    + "\"},{\"role\":\"user\",\"content\":\"and now?\"}],\"max_tokens\":1}";
            JsonNode second = json(post(engine, "/v1/chat/completions", next).body());
            int before = first.at("/usage/total_tokens").asInt();
            assertThat(second.at("/usage/prompt_tokens_details/cached_tokens").asInt())
                    .isGreaterThanOrEqualTo((before - 1) / 16 * 16);
        }
    }

    @Test
    void aStreamCarriesOneEventPerTokenThenUsageThenDone() throws Exception {
        try (SimulatedEngine engine = engine()) {
            HttpResponse<String> response = post(
                    engine,
                    "/v1/chat/completions",
                    "{\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}],\"max_tokens\":5,\"ignore_eos\":true,\"stream\":true,"
                            + "\"stream_options\":{\"include_usage\":true}}");
            assertThat(response.headers().firstValue("content-type")).hasValue("text/event-stream; charset=utf-8");
            List<String> events =
                    response.body().lines().filter(line -> !line.isEmpty()).toList();
            assertThat(events).hasSize(8).allMatch(line -> line.startsWith("data: "));
            assertThat(events.getLast()).isEqualTo("data: [DONE]");
            List<JsonNode> pieces = events.stream()
                    .limit(7)
                    .map(line -> json(line.substring(6)))
                    .toList();
            assertThat(pieces.get(0).at("/choices/0/delta/role").asString()).isEqualTo("assistant");
            assertThat(pieces.get(5).at("/choices/0/finish_reason").asString()).isEqualTo("length");
            assertThat(pieces.get(6).at("/usage/completion_tokens").asInt()).isEqualTo(5);
        }
    }

    @Test
    void theHeadersOfAStreamComeBeforeItsPromptIsComputed() throws Exception {
        // One prompt takes a minute here; the headers must not.
        try (SimulatedEngine engine = engine("--sim-prefill-rate", "0.1", "--sim-time-factor", "1")) {
            HttpResponse<Stream<String>> response = CLIENT.send(
                    to(engine, "/v1/completions")
                            .POST(HttpRequest.BodyPublishers.ofString(
                                    "{\"prompt\":\"one two three four five six\",\"stream\":true}"))
                            .build(),
                    BodyHandlers.ofLines());
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(metric(engine, "num_requests_running")).isEqualTo(1);
            assertThat(metric(engine, "generation_tokens_total")).isZero();
            response.body().close();
        }
    }

    @Test
    void aClientThatLeavesFreesItsSequence() throws Exception {
        try (SimulatedEngine engine = engine("--sim-step-ms", "20", "--sim-time-factor", "1")) {
            for (String stream : List.of("true", "false")) {
                var pending = CLIENT.sendAsync(
                        to(engine, "/v1/completions")
                                .POST(HttpRequest.BodyPublishers.ofString(
                                        "{\"prompt\":\"one two three\",\"max_tokens\":4000,\"ignore_eos\":true,\"stream\":"
                                                + stream + "}"))
                                .build(),
                        BodyHandlers.ofString());
                await().until(() -> metric(engine, "num_requests_running") == 1);
                assertThat(metric(engine, "kv_cache_usage_perc")).isPositive();
                pending.cancel(true);
                await().until(() -> metric(engine, "num_requests_running") == 0);
                assertThat(metric(engine, "kv_cache_usage_perc")).isZero();
            }
        }
    }

    @Test
    void errorsHaveVllmsShapeAndWords() throws Exception {
        try (SimulatedEngine engine = engine()) {
            HttpResponse<String> model = post(engine, "/v1/completions", "{\"model\":\"nope\",\"prompt\":\"x\"}");
            assertThat(model.statusCode()).isEqualTo(404);
            assertThat(model.body())
                    .isEqualTo(
                            "{\"error\":{\"message\":\"The model `nope` does not exist. Valid aliases: tiny/llama.\","
                                    + "\"type\":\"NotFoundError\",\"param\":\"model\",\"code\":404}}");
            HttpResponse<String> tooLong = post(engine, "/v1/completions", "{\"prompt\":\"x\",\"max_tokens\":99999}");
            assertThat(tooLong.statusCode()).isEqualTo(400);
            assertThat(tooLong.body())
                    .isEqualTo(
                            "{\"error\":{\"message\":\"max_tokens=99999 cannot be greater than max_model_len=8192. Please"
                                    + " request fewer output tokens. (parameter=max_tokens, value=99999)\",\"type\":\"BadRequestError\","
                                    + "\"param\":\"max_tokens\",\"code\":400}}");
            HttpResponse<String> bad = post(engine, "/v1/completions", "{bad");
            assertThat(bad.statusCode()).isEqualTo(400);
            assertThat(json(bad.body()).at("/error/message").asString())
                    .contains("json_invalid")
                    .contains("JSON decode error");
            assertThat(json(bad.body()).at("/error/type").asString()).isEqualTo("Bad Request");
        }
    }

    @Test
    void itTellsItsModelsVersionHealthAndTokens() throws Exception {
        try (SimulatedEngine engine = engine("--served-model-name", "one", "two")) {
            JsonNode models = json(get(engine, "/v1/models").body());
            assertThat(models.at("/data").valueStream().map(m -> m.at("/id").asString()))
                    .containsExactly("one", "two");
            assertThat(models.at("/data/0/root").asString()).isEqualTo("tiny/llama");
            assertThat(models.at("/data/0/max_model_len").asInt()).isEqualTo(8192);
            assertThat(get(engine, "/version").body()).isEqualTo("{\"version\":\"0.32.0\"}");
            assertThat(get(engine, "/health").statusCode()).isEqualTo(200);
            assertThat(get(engine, "/nothing").statusCode()).isEqualTo(404);
            JsonNode tokens = json(
                    post(engine, "/tokenize", "{\"prompt\":\"the lazy dog\"}").body());
            assertThat(tokens.at("/count").asInt())
                    .isEqualTo(3)
                    .isEqualTo(tokens.at("/tokens").size());
        }
    }

    @Test
    void aKeyIsAskedForWhenOneIsSet() throws Exception {
        try (SimulatedEngine engine = engine("--api-key", "secret")) {
            assertThat(get(engine, "/v1/models").statusCode()).isEqualTo(401);
            assertThat(get(engine, "/health").statusCode()).isEqualTo(200);
            HttpRequest with = to(engine, "/v1/models")
                    .header("authorization", "Bearer secret")
                    .build();
            assertThat(CLIENT.send(with, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void faultsComeAndGo() throws Exception {
        try (SimulatedEngine engine = engine()) {
            String body = "{\"prompt\":\"x\",\"max_tokens\":9,\"ignore_eos\":true}";
            String stream = "{\"prompt\":\"x\",\"max_tokens\":9,\"ignore_eos\":true,\"stream\":true}";
            assertThat(post(engine, "/sim/faults", "{\"fail-status\":500,\"count\":1}")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(post(engine, "/v1/completions", body).statusCode()).isEqualTo(500);
            assertThat(post(engine, "/v1/completions", body).statusCode()).isEqualTo(200);

            engine.setFaults(Map.of("fail-status", "0", "count", "-1", "reset-after-tokens", "3"));
            assertThatThrownBy(() -> post(engine, "/v1/completions", body)).isInstanceOf(IOException.class);
            HttpResponse<Stream<String>> cut = CLIENT.send(
                    to(engine, "/v1/completions")
                            .POST(HttpRequest.BodyPublishers.ofString(stream))
                            .build(),
                    BodyHandlers.ofLines());
            List<String> seen = new ArrayList<>();
            assertThatThrownBy(() -> cut.body().forEach(seen::add)).hasRootCauseInstanceOf(IOException.class);
            assertThat(seen.stream().filter(line -> line.startsWith("data:"))).hasSizeLessThanOrEqualTo(3);

            engine.clearFaults();
            engine.setFaults(Map.of("unhealthy", "true", "metrics", "error"));
            assertThat(get(engine, "/health").statusCode()).isEqualTo(503);
            assertThat(get(engine, "/metrics").statusCode()).isEqualTo(500);
            HttpResponse<String> wrong = post(engine, "/sim/faults", "{\"explode\":true}");
            assertThat(wrong.statusCode()).isEqualTo(400);
            assertThat(wrong.body()).contains("explode").contains("reset-after-tokens");
        }
    }

    @Test
    void aHangingEngineTakesTheRequestAndSaysNothing() throws Exception {
        try (SimulatedEngine engine = engine("--sim-hang", "true")) {
            HttpRequest request = to(engine, "/v1/completions")
                    .timeout(Duration.ofMillis(300))
                    .POST(HttpRequest.BodyPublishers.ofString("{\"prompt\":\"x\"}"))
                    .build();
            assertThatThrownBy(() -> CLIENT.send(request, BodyHandlers.ofString()))
                    .isInstanceOf(HttpTimeoutException.class);
            assertThat(metric(engine, "num_requests_running")).isZero();
        }
    }

    @Test
    void whatVllmRefusesIsRefused() {
        assertThatThrownBy(() -> engine("--foo")).hasMessage("unrecognized arguments: --foo");
        assertThatThrownBy(() -> engine("--block-size", "16", "--num-gpu-blocks-override", "10"))
                .hasMessageContaining("more KV cache is needed than the available 160 tokens");
        assertThatThrownBy(() -> engine("--sim-metrics", "banana")).hasMessageContaining("BANANA");
    }

    @Test
    void aFleetHasOneAddressEach() throws Exception {
        try (EngineFleet fleet = EngineFleet.start(3, 10, 0, List.of("m", "--sim-time-factor", "100"))) {
            assertThat(fleet.engines())
                    .map(e -> e.address().getAddress().getHostAddress())
                    .containsExactly("127.10.0.1", "127.10.0.2", "127.10.0.3");
            for (SimulatedEngine engine : fleet.engines()) {
                assertThat(post(engine, "/v1/completions", "{\"prompt\":\"x\"}").statusCode())
                        .isEqualTo(200);
            }
        }
    }
}
