package dev.plainsail.epp.pool;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Lists and watches of pods over real HTTP, as behind a proxy without WebSocket, with the ways in which real ones go wrong. */
final class FakeApiServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final KubernetesSerialization json = new KubernetesSerialization();
    private final Map<String, Pod> pods = new TreeMap<>();
    private final List<OutputStream> watches = new CopyOnWriteArrayList<>();
    private final AtomicInteger version = new AtomicInteger(10);
    final AtomicInteger lists = new AtomicInteger();
    final AtomicInteger watched = new AtomicInteger();
    volatile boolean gone;
    volatile boolean down;

    FakeApiServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    KubernetesClient client() {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                        .withWatchReconnectLimit(0)
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
    }

    synchronized void put(Pod pod) {
        String type = pods.put(pod.getMetadata().getName(), pod) == null ? "ADDED" : "MODIFIED";
        version.incrementAndGet();
        send(type, pod);
    }

    synchronized void delete(String name) {
        Pod pod = pods.remove(name);
        version.incrementAndGet();
        if (pod != null) {
            send("DELETED", pod);
        }
    }

    /** While nobody watches: who comes back to watch has missed it. */
    synchronized void deleteUnseen(String name) {
        cutWatches();
        delete(name);
    }

    /** Ends every watch as a proxy does; what happens afterwards is not seen by anybody. */
    synchronized void cutWatches() {
        for (OutputStream watch : watches) {
            try {
                watch.close();
            } catch (IOException e) {
                assert e.getMessage() != null;
            }
        }
        watches.clear();
    }

    void sendError() {
        write("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                + "\"message\":\"too old resource version\",\"reason\":\"Expired\",\"code\":410}}\n");
    }

    private void send(String type, Pod pod) {
        Pod sent = new PodBuilder(pod)
                .editMetadata()
                .withResourceVersion(version.toString())
                .endMetadata()
                .build();
        write("{\"type\":\"" + type + "\",\"object\":" + json.asJson(sent) + "}\n");
    }

    private void write(String line) {
        watches.removeIf(watch -> {
            try {
                watch.write(line.getBytes(StandardCharsets.UTF_8));
                watch.flush();
                return false;
            } catch (IOException e) {
                return true;
            }
        });
    }

    private void handle(HttpExchange exchange) throws IOException {
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        boolean upgrade =
                "websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Upgrade"));
        if (down || upgrade) {
            answer(exchange, 503, "{}");
        } else if (query.contains("watch=true")) {
            watch(exchange);
        } else {
            lists.incrementAndGet();
            answer(exchange, 200, list());
        }
    }

    private synchronized String list() {
        String items = pods.values().stream().map(json::asJson).collect(Collectors.joining(","));
        return "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" + version
                + "\"},\"items\":[" + items + "]}";
    }

    private void watch(HttpExchange exchange) throws IOException {
        if (gone) {
            gone = false;
            watched.incrementAndGet();
            answer(exchange, 410, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":410}");
            return;
        }
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().flush();
        watches.add(exchange.getResponseBody());
        watched.incrementAndGet();
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        cutWatches();
        server.stop(0);
        threads.shutdownNow();
    }
}
