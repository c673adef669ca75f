package dev.plainsail.e2e.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.plainsail.e2e.node.Image;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * The program of the tests' pods. {@code serve PORT} answers {@code /name}, {@code /env}, {@code /ready} (503 while the file {@code unready} is
 * in its folder) over HTTP; {@code webhook PORT KEYSTORE} is a mutating webhook over HTTPS that labels what it sees.
 */
public final class TestServer {

    static final String IMAGE = "test.invalid/server";
    private static final char[] PASSWORD = "password".toCharArray();
    private static final ObjectMapper JSON = new ObjectMapper();

    private TestServer() {}

    /** The image: this class, on the tests' class path, by this JVM's Java. */
    static Image image() {
        Path java = Path.of(System.getProperty("java.home"), "bin");
        return new Image(
                IMAGE + "*",
                java,
                List.of(
                        "java",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TestServer.class.getName()),
                List.of("serve", "8080"),
                Map.of("FROM_IMAGE", "yes"));
    }

    public static void main(String[] arguments) throws Exception {
        InetSocketAddress address = new InetSocketAddress(System.getenv("POD_IP"), Integer.parseInt(arguments[1]));
        HttpServer server;
        if (arguments[0].equals("webhook")) {
            HttpsServer secure = HttpsServer.create(address, 0);
            secure.setHttpsConfigurator(new HttpsConfigurator(context(Path.of(arguments[2]))));
            secure.createContext("/", TestServer::review);
            server = secure;
        } else {
            server = HttpServer.create(address, 0);
            server.createContext("/name", exchange -> answer(exchange, 200, System.getenv("HOSTNAME")));
            server.createContext("/env", exchange -> answer(exchange, 200, environment()));
            server.createContext(
                    "/ready", exchange -> answer(exchange, Files.exists(Path.of("unready")) ? 503 : 200, "ready"));
        }
        server.start();
        System.out.println("listening on " + address);
        Thread.currentThread().join();
    }

    private static String environment() {
        return new TreeMap<>(System.getenv())
                .entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining("\n"));
    }

    private static void review(HttpExchange exchange) throws IOException {
        JsonNode request = JSON.readTree(exchange.getRequestBody()).get("request");
        String patch = """
                [{"op":"add","path":"/metadata/labels","value":{"from":"webhook"}}]""";
        String answer = """
                {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"%s","allowed":true,
                "patchType":"JSONPatch","patch":"%s"}}""".formatted(
                        request.get("uid").asString(),
                        Base64.getEncoder().encodeToString(patch.getBytes(StandardCharsets.UTF_8)));
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        answer(exchange, 200, answer);
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static SSLContext context(Path keyStore) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keyStore)) {
            store.load(in, PASSWORD);
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(store, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    /** A key store for {@code webhook}, holding the pair and its authority. */
    static byte[] keyStore(Pki.Pair pair, Pki.Pair authority) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("server", pair.keys().getPrivate(), PASSWORD, new java.security.cert.Certificate[] {
            pair.certificate(), authority.certificate()
        });
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        store.store(out, PASSWORD);
        return out.toByteArray();
    }
}
