package dev.plainsail.e2e.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestNamespaces;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.story.Installation;
import dev.plainsail.webhook.admission.Losses;
import dev.plainsail.webhook.admission.RandomObjects;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Random pods with random annotations, created with dry run through the installed webhook. Each is also created where the
 * webhook is never called: the difference between the two is what we did, as the API server sees it. Seeded; a failure names
 * its seed.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RandomPodsIT {
    private static final int PODS = Integer.getInteger("random.pods", 500);
    private static final long SEED = Long.getLong("random.seed", 20261130L);
    private static final int AT_ONCE = 6;
    private static final String NAMESPACE = "random";
    private static final String WITHOUT_US = "random-disabled";
    private static final String OUR_DENIAL = "admission webhook \"mutate.plainsail.dev\" denied the request: ";
    private static final JsonMapper JSON = JsonMapper.shared();

    private final LocalCluster cluster;
    private final KubernetesClient client;
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger changed = new AtomicInteger();
    private final AtomicInteger unchanged = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private Installation installation;

    RandomPodsIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.client = cluster.client();
    }

    @BeforeAll
    void install() throws Exception {
        TestNamespaces.create(client, NAMESPACE);
        TestNamespaces.create(client, WITHOUT_US, Map.of("plainsail.dev/injection", "disabled"));
        client.raw("/apis/node.k8s.io/v1/runtimeclasses", "POST", """
                {"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"nvidia"},"handler":"nvidia"}
                """);
        installation = Installation.webhookOnly(cluster, Checkout.find());
    }

    @AfterAll
    void remove() throws Exception {
        client.runtimeClasses().withName("nvidia").delete();
        List.of(NAMESPACE, WITHOUT_US)
                .forEach(name -> client.namespaces().withName(name).delete());
        if (installation != null) {
            installation.close();
        }
    }

    @Test
    void everyPodIsTakenAsWeChangedItOrRefusedByUs() {
        long start = System.nanoTime();
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
            for (long i = 0; i < PODS; i++) {
                long seed = SEED + i;
                threads.execute(() -> one(seed));
            }
        }
        System.out.printf(
                "%d random pods in %.1f s: %d changed, %d unchanged, %d refused%n",
                PODS, (System.nanoTime() - start) / 1e9, changed.get(), unchanged.get(), refused.get());
        assertThat(failures).isEmpty();
        assertThat(changed.get()).as("changed").isGreaterThan(PODS / 10);
        assertThat(refused.get()).as("refused").isGreaterThan(PODS / 10);
    }

    private void one(long seed) {
        ObjectNode pod = new RandomObjects(seed).pod();
        try {
            check(pod);
        } catch (RuntimeException | AssertionError e) {
            failures.add("seed " + seed + ": " + pod + "\n" + e.getMessage());
        }
    }

    private void check(ObjectNode pod) {
        JsonNode plain = created(WITHOUT_US, pod);
        JsonNode ours;
        try {
            ours = created(NAMESPACE, pod);
        } catch (KubernetesClientException e) {
            if (e.getCode() == 422 && String.valueOf(e.getMessage()).contains(OUR_DENIAL)) {
                refused.incrementAndGet();
                return;
            }
            throw e;
        }
        (ours.equals(plain) ? unchanged : changed).incrementAndGet();
        assertThat(Losses.between(plain, ours)).as("lost").isEmpty();
        assertThat(created(NAMESPACE, ours)).as("sent again").isEqualTo(ours);
    }

    /** As the API server would keep it, without what is different each time. */
    private JsonNode created(String namespace, JsonNode sent) {
        JsonNode pod = sent.deepCopy();
        ((ObjectNode) pod.get("metadata")).put("namespace", namespace);
        ObjectNode answer = (ObjectNode) JSON.readTree(
                client.raw("/api/v1/namespaces/" + namespace + "/pods?dryRun=All", "POST", pod.toString()));
        answer.remove("status");
        ((ObjectNode) answer.get("metadata"))
                .remove(List.of("namespace", "uid", "creationTimestamp", "managedFields", "generation"));
        return answer;
    }
}
