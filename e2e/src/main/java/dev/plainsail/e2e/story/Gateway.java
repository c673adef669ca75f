package dev.plainsail.e2e.story;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Requests through the gateway, as an OpenAI client sends them. Any thread.
 *
 * @param address where clients connect
 * @param status where its readiness and statistics are
 */
public record Gateway(URI address, URI status) {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Duration LONGEST = Duration.ofMinutes(2);
    private static final Executor THREADS = Thread::startVirtualThread;

    /**
     * An answer, read to its end.
     *
     * @param servedBy {@code ip:port} that the gateway says served it; empty if it says nothing
     * @param whole for a stream: its end mark arrived; otherwise: the body is one JSON value
     */
    public record Answer(int status, String servedBy, String body, boolean whole, Duration took) {}

    private static HttpClient client() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(30))
                .build();
    }

    /** Asks and waits for the whole answer. */
    public Answer chat(String model, String prompt, int maxTokens, boolean stream) throws IOException {
        ObjectNode body = JSON.createObjectNode();
        body.put("model", model);
        body.put("max_tokens", maxTokens);
        body.put("ignore_eos", true); // vLLM generates all of them: an answer takes as long as it is asked to
        body.put("stream", stream);
        body.putArray("messages").addObject().put("role", "user").put("content", prompt);
        return post("/v1/chat/completions", body.toString(), stream);
    }

    /** {@link #chat} under way on a thread of its own. */
    public CompletableFuture<Answer> startChat(String model, String prompt, int maxTokens, boolean stream) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return chat(model, prompt, maxTokens, stream);
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                THREADS);
    }

    public Answer post(String path, String body, boolean stream) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(address.resolve(path))
                .header("content-type", "application/json")
                .timeout(LONGEST)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        long began = System.nanoTime();
        try (HttpClient client = client()) {
            var response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            String text;
            boolean cut = false;
            try (var reader = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                text = reader.lines().collect(Collectors.joining("\n"));
            } catch (UncheckedIOException e) {
                text = String.valueOf(e.getMessage());
                cut = true;
            }
            boolean whole = !cut && (stream ? text.contains("data: [DONE]") : isJson(text));
            return new Answer(
                    response.statusCode(),
                    response.headers().firstValue("x-plainsail-endpoint").orElse(""),
                    text,
                    whole,
                    Duration.ofNanos(System.nanoTime() - began));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static boolean isJson(String text) {
        try {
            return JSON.readTree(text).isObject();
        } catch (tools.jackson.core.JacksonException e) {
            return false;
        }
    }

    /** The sum of the gateway's counters whose Prometheus name contains this; 0 if there are none. */
    public long counter(String name) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(status.resolve("/stats/prometheus"))
                .timeout(Duration.ofSeconds(60))
                .build();
        try (HttpClient client = client()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .lines()
                    .filter(line -> !line.startsWith("#") && line.contains(name))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
