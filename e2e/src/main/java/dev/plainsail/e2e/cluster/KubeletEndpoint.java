package dev.plainsail.e2e.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.plainsail.e2e.node.PodRunner;
import dev.plainsail.e2e.process.LogTail;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The one piece of a kubelet's own server that people use daily: {@code GET /containerLogs/NAMESPACE/POD/CONTAINER}, with {@code
 * follow}, {@code previous} and {@code tailLines}. Only clients with a certificate of the cluster's authority are heard, which is the
 * API server's.
 */
final class KubeletEndpoint implements AutoCloseable {

    static final int PORT = 10250;
    private static final char[] PASSWORD = "memory-only".toCharArray();
    private static final long POLL_MILLIS = 100;

    private final List<HttpsServer> servers = new ArrayList<>();
    private final PodRunner runner;

    KubeletEndpoint(List<String> addresses, Pki.Pair server, Certificate authority, PodRunner runner)
            throws IOException {
        this.runner = runner;
        SSLContext context = context(server, authority);
        for (String address : addresses) {
            HttpsServer https = HttpsServer.create(new InetSocketAddress(address, PORT), 0);
            https.setHttpsConfigurator(new HttpsConfigurator(context) {
                @Override
                public void configure(HttpsParameters parameters) {
                    SSLParameters required = context.getDefaultSSLParameters();
                    required.setNeedClientAuth(true);
                    parameters.setSSLParameters(required);
                }
            });
            https.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            https.createContext("/containerLogs/", this::logs);
            https.start();
            servers.add(https);
        }
    }

    private static SSLContext context(Pki.Pair server, Certificate authority) throws IOException {
        try {
            KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setKeyEntry(
                    "kubelet", server.keys().getPrivate(), PASSWORD, new Certificate[] {server.certificate(), authority
                    });
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("authority", authority);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, PASSWORD);
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has these", e);
        }
    }

    private void logs(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/");
        Map<String, String> query = query(exchange.getRequestURI().getQuery());
        boolean previous = "true".equals(query.get("previous"));
        Optional<Path> log = path.length == 5 ? runner.log(path[2], path[3], path[4], previous) : Optional.empty();
        if (log.isEmpty() || !Files.exists(log.get())) {
            byte[] text = "no such log here\n".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(404, text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
            return;
        }
        exchange.getResponseHeaders().add("Content-Type", "text/plain");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            boolean follow = "true".equals(query.get("follow")) && !previous;
            String lines = query.get("tailLines");
            if (lines != null && !follow) {
                String tail = LogTail.of(log.get(), Integer.parseInt(lines));
                out.write((tail + "\n").getBytes(StandardCharsets.UTF_8));
            } else {
                send(log.get(), follow, () -> runner.isWritten(path[2], path[3], path[4], log.get()), out);
            }
        }
    }

    private static void send(Path log, boolean follow, BooleanSupplier isWritten, OutputStream out) throws IOException {
        try (InputStream in = Files.newInputStream(log)) {
            in.transferTo(out);
            out.flush();
            boolean more = follow;
            while (more) {
                more = isWritten.getAsBoolean(); // asked before the read, so that the last lines are not missed
                Thread.sleep(POLL_MILLIS);
                in.transferTo(out);
                out.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Map<String, String> query(@Nullable String text) {
        Map<String, String> all = new HashMap<>();
        for (String pair : text == null ? new String[0] : text.split("&")) {
            String[] words = pair.split("=", 2);
            all.put(words[0], words.length == 2 ? words[1] : "");
        }
        return all;
    }

    @Override
    public void close() {
        servers.forEach(server -> server.stop(0));
    }
}
