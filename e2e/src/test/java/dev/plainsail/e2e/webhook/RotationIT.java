package dev.plainsail.e2e.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Certificate and authority change several times within a minute, in two replicas behind a Service, while the API server asks
 * about one pod after another: not one admission may fail. CRT-03, CRT-09.
 */
@ExtendWith(SharedCluster.class)
class RotationIT {
    private static final int PER_SECOND = Integer.getInteger("plainsail.rotation.rate", 40);
    private static final Duration LASTING = Duration.ofSeconds(70);
    private static final String NAMESPACE = "rotation";

    private final LocalCluster cluster;
    private final KubernetesClient client;
    private final Kubectl kubectl;
    private final AtomicInteger admitted = new AtomicInteger();
    private final Set<String> failures = new ConcurrentSkipListSet<>();

    RotationIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.kubectl = cluster.kubectl();
    }

    @Test
    void noAdmissionFailsWhileCertificatesAndAuthoritiesChange() throws Exception {
        kubectl.run("create", "namespace", NAMESPACE);
        try (Installation installation = Installation.of(cluster)) {
            kubectl.run("-n", "plainsail-system", "patch", "deployment", "plainsail-webhook", "--type=json", "-p", """
                    [{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--authority-life=60s"},
                     {"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--certificate-life=24s"},
                     {"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"--authority-overlap=6s"}]
                    """);
            // A running replica puts the year-long authority of the first start back; so it goes while none runs.
            installation.replicas(0);
            kubectl.run("-n", "plainsail-system", "delete", "secret", "plainsail-webhook-authority");
            installation.replicas(2);
            await().atMost(Installation.PATIENCE).until(() -> bundle().length() > 0 && isAdmitted());
            failures.clear();
            admitted.set(0);
            Set<String> bundles = new ConcurrentSkipListSet<>();
            Set<String> leaves = new ConcurrentSkipListSet<>();
            load(bundles, leaves);
            System.out.printf(
                    "%d admissions in %d s, %d certificates, %d bundles, failures: %s%n",
                    admitted.get(), LASTING.toSeconds(), leaves.size(), bundles.size(), failures);
            assertThat(failures).isEmpty();
            assertThat(leaves.size()).isGreaterThanOrEqualTo(3);
            assertThat(bundles.size()).as("old, old and new, new").isGreaterThanOrEqualTo(3);
            assertThat(admitted.get()).isGreaterThan((int) LASTING.toSeconds());
        } finally {
            kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
        }
    }

    /** At the wanted rate, or as fast as the machine can with a dozen at once. */
    private void load(Set<String> bundles, Set<String> leaves) throws InterruptedException {
        long end = System.nanoTime() + LASTING.toNanos();
        Semaphore free = new Semaphore(12);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long sample = System.nanoTime();
            while (System.nanoTime() < end) {
                TimeUnit.NANOSECONDS.sleep(1_000_000_000L / PER_SECOND);
                free.acquire();
                threads.execute(() -> {
                    try {
                        isAdmitted();
                    } finally {
                        free.release();
                    }
                });
                if (System.nanoTime() >= sample) {
                    sample = System.nanoTime() + 1_000_000_000L;
                    bundles.add(bundle());
                    leaves.add(leaf());
                }
            }
        }
    }

    private boolean isAdmitted() {
        try {
            client.raw("/api/v1/namespaces/" + NAMESPACE + "/pods?dryRun=All", "POST", """
                    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p",
                     "annotations":{"plainsail.dev/devices":"gpu.nvidia.com"}},
                     "spec":{"containers":[{"name":"a","image":"x","command":["vllm","serve","m"]}]}}
                    """);
            admitted.incrementAndGet();
            return true;
        } catch (KubernetesClientException e) {
            failures.add(String.valueOf(e.getMessage()));
            return false;
        }
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
