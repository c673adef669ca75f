import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Runs one of our programs once, from start to stop, while its JVM notes which classes it needs and in what state they are: the
 * cache that the image's JVM starts from. In place of a cluster it is shown an API server that holds nothing and accepts
 * everything. Started by assemble.sh: {@code java Rehearsal.java webhook|epp LOG JAVA_OPTIONS COMMAND...}.
 */
final class Rehearsal {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Pattern NAME = Pattern.compile("\"metadata\":\\{[^}]*?\"name\":\"([^\"]+)\"");

    private static final String REVIEW = """
            {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"1","operation":"CREATE","namespace":"d","name":"p",
             "kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},
             "object":{"metadata":{"name":"p","annotations":{"plainsail.dev/devices":"gpu.nvidia.com x2","plainsail.dev/pool":"p"}},
              "spec":{"containers":[{"name":"vllm","image":"vllm/vllm-openai:v0","command":["vllm","serve","m"]}]}}}}""";

    private final Map<String, String> objects = new ConcurrentHashMap<>();
    private final AtomicLong version = new AtomicLong(1);

    public static void main(String[] arguments) throws Exception {
        Rehearsal rehearsal = new Rehearsal();
        HttpServer api = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        api.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        api.createContext("/", rehearsal::answer);
        api.start();
        int status = rehearsal.run(api.getAddress().getPort(), List.of(arguments));
        System.exit(status);
    }

    private int run(int api, List<String> arguments) throws Exception {
        boolean webhook = arguments.get(0).equals("webhook");
        int health = freePort();
        int serving = freePort();
        List<String> command = new ArrayList<>(arguments.subList(3, arguments.size()));
        command.addAll(webhook
                ? List.of("--health-port=" + health, "--port=" + serving, "--metrics-port=" + freePort(), "--drain=0s")
                : List.of("--grpc-port=" + serving, "--grpc-health-port=" + health, "--metrics-port=" + freePort(), "--drain-timeout=1s"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(Path.of(arguments.get(1)).toFile());
        builder.environment().put("POD_IP", "127.0.0.1");
        builder.environment().put("POD_NAME", "rehearsal");
        builder.environment().put("POD_NAMESPACE", "plainsail-system");
        builder.environment().put("JAVA_TOOL_OPTIONS", "-Dkubernetes.master=http://127.0.0.1:" + api
                + " -Dkubernetes.auth.tryKubeConfig=false -Dkubernetes.auth.tryServiceAccount=false " + arguments.get(2));
        Process program = builder.start();
        try {
            if (webhook) {
                await(program, () -> get(URI.create("http://127.0.0.1:" + health + "/readyz")));
                for (int i = 0; i < 50; i++) {
                    post(URI.create("https://127.0.0.1:" + serving + "/v1/mutate"), REVIEW);
                }
            } else {
                Path log = Path.of(arguments.get(1));
                await(program, () -> Files.readString(log).contains("EndpointPicker: ready") ? 200 : 503);
            }
            program.destroy();
            if (!program.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("it does not stop");
            }
            return 0;
        } catch (IOException e) {
            System.err.println("the rehearsal of " + command.getFirst() + " failed: " + e.getMessage());
            return 1;
        } finally {
            program.destroyForcibly();
        }
    }

    private interface Question {
        int status() throws IOException, InterruptedException;
    }

    private static void await(Process program, Question question) throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (status(question) != 200) {
            if (!program.isAlive()) {
                throw new IOException("it ended with exit code " + program.exitValue());
            }
            if (System.nanoTime() > end) {
                throw new IOException("it is not ready");
            }
            Thread.sleep(200);
        }
    }

    private static int status(Question question) throws InterruptedException {
        try {
            return question.status();
        } catch (IOException e) {
            return 0; // not there yet
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static int get(URI uri) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString()).statusCode();
        }
    }

    private static void post(URI uri, String body) throws Exception {
        SSLContext anyone = SSLContext.getInstance("TLS");
        anyone.init(null, new TrustManager[] {new Anyone()}, new SecureRandom());
        try (HttpClient client = HttpClient.newBuilder().sslContext(anyone).version(HttpClient.Version.HTTP_1_1).build()) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(uri).header("content-type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("a review was answered " + answer.statusCode() + " " + answer.body());
            }
        }
    }

    /** An API server without a memory for anything but what it was just given. */
    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        switch (exchange.getRequestMethod()) {
            case "GET" -> {
                if (query.contains("watch=true") && exchange.getRequestHeaders().getFirst("Upgrade") == null) {
                    exchange.sendResponseHeaders(200, 0); // a watch in which nothing happens
                    exchange.getResponseBody().flush();
                } else if (objects.containsKey(path)) {
                    send(exchange, 200, objects.get(path));
                } else if (path.matches("/apis/inference.*|.*/(leases|secrets|mutatingwebhookconfigurations)/[^/]+")) {
                    send(exchange, 404, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"NotFound\",\"code\":404}");
                } else if (path.matches("/apis/[^/]+(/[^/]+)?")) {
                    send(exchange, 200, "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"resources\":[]}");
                } else {
                    send(exchange, 200, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}");
                }
            }
            case "DELETE" -> send(exchange, 200, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}");
            default -> {
                Matcher name = NAME.matcher(body);
                String place = exchange.getRequestMethod().equals("POST") && name.find() ? path + "/" + name.group(1) : path;
                String unversioned = body.replaceAll("\"resourceVersion\":\"[^\"]*\",?", "");
                String stored = unversioned.replaceFirst(
                        "\"metadata\":\\{", "\"metadata\":{\"resourceVersion\":\"" + version.incrementAndGet() + "\",\"uid\":\"1\",").replace(",}", "}");
                objects.put(place, stored);
                send(exchange, exchange.getRequestMethod().equals("POST") ? 201 : 200, stored);
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    /** An extended one, for which the JDK does not compare names either. */
    private static final class Anyone extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
