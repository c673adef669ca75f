package dev.plainsail.webhook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** {@code /metrics} in the format that the scraper asks for. */
final class MetricsServer implements AutoCloseable {
    private final ExpositionFormats formats = ExpositionFormats.init();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final PrometheusRegistry registry;
    private final HttpServer server;

    MetricsServer(InetSocketAddress address, PrometheusRegistry registry) {
        this.registry = registry;
        try {
            server = HttpServer.create(address, 0);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
        server.setExecutor(threads);
        server.createContext("/metrics", this::scrape);
    }

    MetricsServer start() {
        server.start();
        return this;
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void scrape(HttpExchange exchange) throws IOException {
        try (exchange) {
            ExpositionFormatWriter writer =
                    formats.findWriter(exchange.getRequestHeaders().getFirst("Accept"));
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            writer.write(body, registry.scrape());
            exchange.getResponseHeaders().set("Content-Type", writer.getContentType());
            exchange.sendResponseHeaders(200, body.size());
            body.writeTo(exchange.getResponseBody());
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
