package dev.plainsail.epp.observability;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** The plain HTTP port for operators: {@code /metrics}, {@code /healthz}, {@code /readyz} and pages of text. */
public final class AdminServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    /** @param pages further paths and what they show, as plain text */
    public AdminServer(
            InetSocketAddress address, PrometheusRegistry registry, Health health, Map<String, Supplier<String>> pages)
            throws IOException {
        server = HttpServer.create(address, 0);
        server.setExecutor(executor);
        server.createContext("/metrics", exchange -> metrics(exchange, registry));
        server.createContext("/healthz", exchange -> answer(exchange, 200, "text/plain; charset=utf-8", "ok\n"));
        server.createContext("/readyz", exchange -> {
            boolean ready = health.isReady();
            answer(exchange, ready ? 200 : 503, "text/plain; charset=utf-8", ready ? "ready\n" : "not ready\n");
        });
        pages.forEach((path, page) ->
                server.createContext(path, exchange -> answer(exchange, 200, "text/plain; charset=utf-8", page.get())));
    }

    public void start() {
        server.start();
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private static void metrics(HttpExchange exchange, PrometheusRegistry registry) throws IOException {
        ExpositionFormatWriter writer =
                ExpositionFormats.init().findWriter(exchange.getRequestHeaders().getFirst("Accept"));
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        writer.write(text, registry.scrape());
        answer(exchange, 200, writer.getContentType(), text.toByteArray());
    }

    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        answer(exchange, status, type, text.getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
