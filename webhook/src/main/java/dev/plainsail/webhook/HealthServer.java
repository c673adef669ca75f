package dev.plainsail.webhook;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * What the kubelet asks, in plain HTTP: {@code /healthz} answers as long as the process can, {@code /readyz} when every
 * named check holds, and otherwise says which do not.
 */
final class HealthServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, BooleanSupplier> checks;

    HealthServer(InetSocketAddress address, Map<String, BooleanSupplier> checks) {
        this.checks = new LinkedHashMap<>(checks);
        try {
            server = HttpServer.create(address, 0);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
        server.setExecutor(threads);
        server.createContext("/healthz", exchange -> answer(exchange, 200, "ok\n"));
        server.createContext("/readyz", this::ready);
    }

    HealthServer start() {
        server.start();
        return this;
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void ready(HttpExchange exchange) throws IOException {
        StringBuilder text = new StringBuilder();
        boolean ready = true;
        for (Map.Entry<String, BooleanSupplier> check : checks.entrySet()) {
            boolean holds = check.getValue().getAsBoolean();
            ready &= holds;
            text.append(holds ? "[+] " : "[-] ").append(check.getKey()).append('\n');
        }
        answer(
                exchange,
                ready ? 200 : 503,
                text.append(ready ? "ready\n" : "not ready\n").toString());
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        try (exchange) {
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
