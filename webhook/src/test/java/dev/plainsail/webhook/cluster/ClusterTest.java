package dev.plainsail.webhook.cluster;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clusters that the local one cannot be: an old one, and one that is not there. The rest is tested against the real one. */
class ClusterTest {
    private final HttpServer server = server();
    private volatile boolean old;

    private HttpServer server() {
        try {
            HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            made.createContext("/", this::answer);
            made.start();
            return made;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean devices = exchange.getRequestURI().getPath().startsWith("/apis/resource.k8s.io/v1");
            byte[] body = (devices && old
                            ? "404 page not found"
                            : "{\"major\":\"1\",\"minor\":\"33\",\"gitVersion\":\"v1.33.4\"}")
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(devices && old ? 404 : 200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Cluster cluster() {
        return Cluster.of(new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                        .withRequestRetryBackoffLimit(0)
                        .withAutoConfigure(false)
                        .build())
                .build());
    }

    @Test
    void clusterWithDeviceClaimsIsAccepted() {
        try (Cluster cluster = cluster()) {
            assertThatCode(() -> cluster.requireDeviceClaims(Duration.ZERO)).doesNotThrowAnyException();
        }
    }

    /** CASES DRA-01; the flat form in an annotation is the golden case devices/yaml-flat-v1beta1. */
    @Test
    void clusterThatIsTooOldIsRefusedInOneSentence() {
        old = true;
        try (Cluster cluster = cluster()) {
            assertThatThrownBy(() -> cluster.requireDeviceClaims(Duration.ofSeconds(30)))
                    .isInstanceOf(ClusterProblemException.class)
                    .hasMessage("this cluster (Kubernetes v1.33.4) does not serve resource.k8s.io/v1;"
                            + " Plainsail needs Kubernetes 1.34 or newer");
        }
    }

    @Test
    void apiServerThatIsNotThereIsNamed() {
        try (Cluster cluster = cluster()) {
            server.stop(0);
            assertThatThrownBy(() -> cluster.requireDeviceClaims(Duration.ZERO))
                    .isInstanceOf(ClusterProblemException.class)
                    .hasMessageContaining("the API server at http://127.0.0.1:")
                    .hasMessageContaining("does not answer");
        }
    }
}
