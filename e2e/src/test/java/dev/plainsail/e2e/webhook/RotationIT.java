package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.story.Installation;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Certificate and authority change several times within a minute, in two replicas behind a Service, while the API server asks
 * about one pod after another: not one admission may fail. CRT-03, CRT-09.
 */
@ExtendWith(SharedCluster.class)
class RotationIT {
    private static final int PER_SECOND = Integer.getInteger("plainsail.rotation.rate", 200);
    private static final int AT_ONCE = 24;
    private static final Duration LASTING = Duration.ofSeconds(70);
    private static final String NAMESPACE = "rotation";

    private final LocalCluster cluster;
    private final KubernetesClient client;
    private final Kubectl kubectl;
    private final HttpClient http;
    private final HttpRequest request;
    private final AtomicInteger admitted = new AtomicInteger();
    private final Set<String> failures = new ConcurrentSkipListSet<>();

    RotationIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.kubectl = cluster.kubectl();
        this.http = http(client.getConfiguration());
        this.request = request(URI.create(client.getMasterUrl().toString()));
    }

    @Test
    void noAdmissionFailsWhileCertificatesAndAuthoritiesChange() throws Exception {
        kubectl.run("create", "namespace", NAMESPACE);
        try (Installation installation = Installation.webhookOnly(cluster, Checkout.find())) {
            kubectl.run("-n", "plainsail-system", "patch", "deployment", "plainsail-webhook", "--type=json", "-p", """
                    [{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--authority-life=60s"},
                     {"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--certificate-life=24s"},
                     {"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--authority-overlap=6s"}]
                    """);
            // A running replica puts the year-long authority of the first start back; so it goes while none runs.
            installation.webhooks(0);
            kubectl.run("-n", "plainsail-system", "delete", "secret", "plainsail-webhook-authority");
            installation.webhooks(2);
            await().atMost(Duration.ofMinutes(2)).until(() -> bundle().length() > 0 && isAdmitted());
            failures.clear();
            admitted.set(0);
            Set<String> bundles = new ConcurrentSkipListSet<>();
            Set<String> leaves = new ConcurrentSkipListSet<>();
            load(bundles, leaves);
            System.out.printf(
                    "%d admissions in %d s (%d/s), %d certificates, %d bundles, failures: %s%n",
                    admitted.get(),
                    LASTING.toSeconds(),
                    admitted.get() / LASTING.toSeconds(),
                    leaves.size(),
                    bundles.size(),
                    failures);
            assertThat(failures).isEmpty();
            assertThat(leaves.size()).isGreaterThanOrEqualTo(3);
            assertThat(bundles.size()).as("old, old and new, new").isGreaterThanOrEqualTo(3);
            assertThat(admitted.get()).isGreaterThan((int) LASTING.toSeconds());
        } finally {
            kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
        }
    }

    /** At the wanted rate, or as fast as the machine can with {@link #AT_ONCE} at once. */
    private void load(Set<String> bundles, Set<String> leaves) throws InterruptedException {
        long end = System.nanoTime() + LASTING.toNanos();
        Semaphore free = new Semaphore(AT_ONCE);
        long sample = System.nanoTime();
        long next = System.nanoTime();
        while (System.nanoTime() < end) {
            next = Math.max(next + 1_000_000_000L / PER_SECOND, System.nanoTime() - 100_000_000L);
            TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
            free.acquire();
            var ignored = admit().whenComplete((said, error) -> {
                count(said, error);
                free.release();
            });
            if (System.nanoTime() >= sample) {
                sample = System.nanoTime() + 1_000_000_000L;
                bundles.add(bundle());
                leaves.add(leaf());
            }
        }
        free.acquire(AT_ONCE);
    }

    /** A pod that is not kept. Connections stay open and bodies are made once: the load is to cost the API server, not us. */
    private CompletableFuture<HttpResponse<String>> admit() {
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    private void count(@Nullable HttpResponse<String> said, @Nullable Throwable error) {
        if (said != null && said.statusCode() == 201) {
            admitted.incrementAndGet();
        } else {
            failures.add(said == null ? String.valueOf(error) : said.body());
        }
    }

    private boolean isAdmitted() {
        return admit().join().statusCode() == 201;
    }

    private static HttpClient http(Config config) {
        try {
            return HttpClient.newBuilder()
                    .sslContext(SSLUtils.sslContext(config))
                    .version(HttpClient.Version.HTTP_2)
                    .build();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("the administrator's key pair", e);
        }
    }

    private static HttpRequest request(URI server) {
        return HttpRequest.newBuilder(server.resolve("/api/v1/namespaces/" + NAMESPACE + "/pods?dryRun=All"))
                .header("Content-Type", "application/json")
                .timeout(Duration.ofSeconds(60))
                .POST(HttpRequest.BodyPublishers.ofString("""
                        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",
                         "annotations":{"plainsail.dev/devices":"gpu.nvidia.com"}},
                         "spec":{"containers":[{"name":"a","image":"x","command":["vllm","serve","m"]}]}}
                        """))
                .build();
    }

    private String bundle() {
        String bundle = client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("plainsail")
                .get()
                .getWebhooks()
                .getFirst()
                .getClientConfig()
                .getCaBundle();
        return bundle == null ? "" : bundle;
    }

    private String leaf() {
        return client.secrets()
                .inNamespace("plainsail-system")
                .withName("plainsail-webhook-authority")
                .get()
                .getData()
                .get("tls.crt");
    }
}
