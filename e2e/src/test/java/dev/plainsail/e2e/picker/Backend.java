package dev.plainsail.e2e.picker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A server behind the proxy that tells what reached it: size and SHA-256 of the body, and the headers of interest. With
 * {@code x-test-pieces: N} the answer is N pieces of 100 bytes, one every 100 ms; with {@code x-test-delay: MILLIS} it
 * comes whole after that time. With {@code x-test-wait} it comes, or goes on after half of its pieces, when the test says so.
 */
final class Backend implements AutoCloseable {
    static final int PIECE_BYTES = 100;

    private final HttpServer server;
    private final AtomicInteger active = new AtomicInteger();
    private final Semaphore go = new Semaphore(0);
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    Backend() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 4096);
        server.setExecutor(executor);
        server.createContext("/", this::handle);
        server.createContext("/v1/models", exchange -> answer(exchange, 200, "{\"data\":[{\"id\":\"test-model\"}]}"));
        server.start();
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    /** Requests that were received and not yet answered. */
    int active() {
        return active.get();
    }

    private void handle(HttpExchange exchange) throws IOException {
        active.incrementAndGet();
        try (exchange) {
            String digest = digest(exchange.getRequestBody());
            String pieces = exchange.getRequestHeaders().getFirst("x-test-pieces");
            if (pieces != null) {
                stream(exchange, Integer.parseInt(pieces));
                return;
            }
            pause(exchange.getRequestHeaders().getFirst("x-test-delay"));
            awaitGo(exchange);
            String usage = exchange.getRequestHeaders().getFirst("x-test-usage");
            if (usage != null) {
                answer(exchange, 200, "{\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":" + usage + "}}");
                return;
            }
            String status = exchange.getRequestHeaders().getFirst("x-test-status");
            if (status != null) {
                answer(exchange, Integer.parseInt(status), "{}");
                return;
            }
            String prefiller = exchange.getRequestHeaders().getFirst("x-prefiller-host-port");
            byte[] answer = (digest + " prefiller=" + prefiller).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        } finally {
            active.decrementAndGet();
        }
    }

    /** Lets so many answers go that were asked to wait. */
    void go(int answers) {
        go.release(answers);
    }

    private void awaitGo(HttpExchange exchange) {
        if (!exchange.getRequestHeaders().containsKey("x-test-wait")) {
            return;
        }
        try {
            go.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private void stream(HttpExchange exchange, int pieces) throws IOException {
        exchange.getResponseHeaders().set("content-type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        for (int i = 0; i < pieces; i++) {
            if (i == pieces / 2) {
                awaitGo(exchange);
            }
            out.write("x".repeat(PIECE_BYTES).getBytes(StandardCharsets.UTF_8));
            out.flush();
            pause("100");
        }
    }

    private static void pause(String millis) {
        if (millis == null) {
            return;
        }
        try {
            Thread.sleep(Long.parseLong(millis));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String digest(InputStream body) throws IOException {
        MessageDigest sha = sha256();
        byte[] buffer = new byte[8192];
        long size = 0;
        for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
            sha.update(buffer, 0, read);
            size += read;
        }
        return size + " " + HexFormat.of().formatHex(sha.digest());
    }

    /** What {@link #digest} says of these bytes. */
    static String digest(byte[] body) {
        return body.length + " " + HexFormat.of().formatHex(sha256().digest(body));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
