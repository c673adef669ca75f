package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.http.Exchange;
import dev.plainsail.e2e.engine.http.HttpServer;
import dev.plainsail.e2e.engine.http.Request;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The routes of one engine: vLLM's, and {@code /sim/faults}. */
final class EngineApi implements HttpServer.Handler {
    static final Map<String, String> JSON = Map.of("content-type", "application/json");
    private static final Map<String, String> TEXT = Map.of("content-type", "text/plain; version=1.0.0; charset=utf-8");

    private static final Set<String> PATHS = Set.of(
            "/v1/completions",
            "/v1/chat/completions",
            "/v1/models",
            "/health",
            "/ping",
            "/version",
            "/tokenize",
            "/metrics",
            "/sim/faults",
            "/sim/reset-prefix-cache");

    private final SimulatedEngine engine;

    EngineApi(SimulatedEngine engine) {
        this.engine = engine;
    }

    @Override
    public void handle(Request request, Exchange exchange) throws IOException, InterruptedException {
        try {
            route(request, exchange);
        } catch (ApiError e) {
            exchange.respond(e.status(), JSON, e.json());
        }
    }

    private void route(Request request, Exchange exchange) throws IOException, InterruptedException, ApiError {
        if (request.path().startsWith("/v1/") && !allowed(request)) {
            exchange.respond(401, JSON, Answers.bytes(Map.of("error", "Unauthorized")));
            return;
        }
        String route = request.method() + " " + request.path();
        switch (route) {
            case "POST /v1/completions" -> complete(request, exchange, false);
            case "POST /v1/chat/completions" -> complete(request, exchange, true);
            case "GET /v1/models" -> exchange.respond(200, JSON, Answers.bytes(Models.list(engine)));
            case "GET /health", "GET /ping" ->
                exchange.respond(engine.faults().unhealthy() ? 503 : 200, Map.of(), new byte[0]);
            case "GET /version" -> exchange.respond(200, JSON, Answers.bytes(Map.of("version", Answers.VERSION)));
            case "POST /tokenize" -> tokenize(request, exchange);
            case "GET /metrics" -> metrics(exchange);
            case "POST /sim/reset-prefix-cache" -> {
                engine.resetPrefixCache();
                exchange.respond(200, Map.of(), new byte[0]);
            }
            case "GET /sim/faults" ->
                exchange.respond(200, JSON, Answers.bytes(engine.faults().asMap()));
            case "POST /sim/faults" -> faults(request, exchange);
            default -> unknown(request, exchange);
        }
    }

    private static void unknown(Request request, Exchange exchange) throws IOException {
        boolean otherMethod = PATHS.contains(request.path());
        exchange.respond(
                otherMethod ? 405 : 404,
                JSON,
                Answers.bytes(Map.of("detail", otherMethod ? "Method Not Allowed" : "Not Found")));
    }

    private boolean allowed(Request request) {
        List<String> keys = engine.settings().apiKeys();
        return keys.isEmpty()
                || request.header("authorization")
                        .filter(value -> keys.stream().anyMatch(key -> value.equals("Bearer " + key)))
                        .isPresent();
    }

    private void complete(Request request, Exchange exchange, boolean chat)
            throws IOException, InterruptedException, ApiError {
        Generation generation =
                Generation.read(vllmJson(request), chat, engine.settings().model());
        Faults faults = engine.takeFaults();
        if (faults.hang()) {
            hang(exchange);
            return;
        }
        if (faults.failStatus() != 0) {
            throw new ApiError(faults.failStatus(), "InternalServerError", null, "a fault that was asked for");
        }
        if (faults.resetAfterTokens() >= 0 && !generation.stream()) {
            exchange.reset();
            return;
        }
        String id = request.header("x-request-id")
                .orElseGet(() -> UUID.randomUUID().toString().replace("-", "").substring(0, 16));
        new Completion(engine, generation, id, faults.resetAfterTokens()).answer(exchange);
    }

    private static void hang(Exchange exchange) throws InterruptedException {
        CountDownLatch gone = new CountDownLatch(1);
        exchange.onDisconnect(gone::countDown);
        gone.await();
    }

    private void tokenize(Request request, Exchange exchange) throws IOException, ApiError {
        JsonNode body = vllmJson(request);
        Tokens tokens = body.has("messages")
                ? Prompts.chat(body)
                : Tokens.of(body.path("prompt").asString(""));
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("count", tokens.size());
        answer.put("max_model_len", engine.settings().model().maxLength());
        answer.put("tokens", tokens.toList());
        answer.put("token_strs", null);
        exchange.respond(200, JSON, Answers.bytes(answer));
    }

    private void metrics(Exchange exchange) throws IOException, InterruptedException {
        if (!engine.settings().metrics()) {
            exchange.respond(404, JSON, Answers.bytes(Map.of("detail", "Not Found")));
            return;
        }
        switch (engine.faults().metrics()) {
            case NONE -> exchange.respond(200, TEXT, engine.metrics().getBytes(StandardCharsets.UTF_8));
            case ERROR -> exchange.respond(500, TEXT, "Internal Server Error".getBytes(StandardCharsets.UTF_8));
            case HANG -> hang(exchange);
            case EMPTY -> exchange.respond(200, TEXT, new byte[0]);
        }
    }

    private void faults(Request request, Exchange exchange) throws IOException, ApiError {
        Map<String, String> changes = new LinkedHashMap<>();
        json(request)
                .properties()
                .forEach(e -> changes.put(e.getKey(), e.getValue().asString()));
        try {
            engine.setFaults(changes);
        } catch (IllegalArgumentException e) {
            throw ApiError.badRequest(null, String.valueOf(e.getMessage()));
        }
        exchange.respond(200, JSON, Answers.bytes(engine.faults().asMap()));
    }

    /** vLLM reads a body only when it says that it is JSON. */
    private static JsonNode vllmJson(Request request) throws ApiError {
        if (!request.header("content-type").orElse("").startsWith("application/json")) {
            throw new ApiError(
                    400,
                    "Bad Request",
                    null,
                    "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed");
        }
        if (request.body().size() == 0) {
            throw ApiError.invalid("body", "missing", "Field required", "'None'");
        }
        return json(request);
    }

    private static JsonNode json(Request request) throws ApiError {
        try {
            return JsonMapper.shared().readTree(request.body().stream());
        } catch (JacksonException e) {
            String place = "body." + Math.max(0, e.getLocation().getByteOffset());
            String why = e.getOriginalMessage().lines().findFirst().orElse("");
            throw new ApiError(
                    400,
                    "Bad Request",
                    place,
                    "1 validation error:\n  {'type': 'json_invalid', 'loc': '" + place
                            + "', 'msg': 'JSON decode error', 'input': '<dict of 0 items>', 'ctx': {'error': '" + why
                            + "'}}");
        }
    }
}
