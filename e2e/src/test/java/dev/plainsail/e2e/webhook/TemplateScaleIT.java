package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.e2e.cluster.LocalCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/**
 * Many labelled pods and templates when a replica starts cold: every template is made once, with as few requests as there are
 * templates, within the memory that the manifests give. Pods are gated, so that nothing is scheduled. The figures of the README:
 * {@code -Dplainsail.scale.pods=10000 -Dplainsail.scale.templates=300}.
 */
class TemplateScaleIT {
    private static final int PODS = Integer.getInteger("plainsail.scale.pods", 600);
    private static final int TEMPLATES = Integer.getInteger("plainsail.scale.templates", 60);
    private static final JsonMapper JSON = new JsonMapper();
    private static final Duration PATIENCE = Duration.ofMinutes(PODS > 1000 ? 20 : 4);

    @Test
    void coldReplicaMakesEveryTemplateOnceWithFewRequests() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(System.getenv())) {
            ClaimPods pods = ClaimPods.in(cluster, "scale");
            make(cluster);
            long start = System.nanoTime();
            try (WebhookProcess webhook =
                    WebhookProcess.start(cluster, "--namespace=scale").awaitServing()) {
                double serving = (System.nanoTime() - start) / 1e9;
                await("all templates")
                        .atMost(PATIENCE)
                        .until(() -> pods.templates().size() == TEMPLATES);
                double made = (System.nanoTime() - start) / 1e9;
                Map<String, Long> cold = requests(webhook);
                System.out.printf(
                        "cold start with %d pods, %d templates: serving after %.1f s, templates after %.1f s,"
                                + " requests %s, %s%n",
                        PODS, TEMPLATES, serving, made, cold, webhook.memory());
                await("all claims").atMost(PATIENCE).until(() -> claims(cluster) >= PODS);
                System.out.printf(
                        "all claims after %.1f s, requests %s, %s%n",
                        (System.nanoTime() - start) / 1e9, requests(webhook), webhook.memory());
                assertThat(webhook.log(pods.namespace())).doesNotContain("a template failed");
                assertThat(cold.get("create"))
                        .as("templates, the lease, the certificate's Secret")
                        .isLessThanOrEqualTo(TEMPLATES + 3L);
            }
            start = System.nanoTime();
            try (WebhookProcess next =
                    WebhookProcess.start(cluster, "--namespace=scale").awaitServing()) {
                System.out.printf(
                        "the next replica, nothing to do: serving after %.1f s, requests %s, %s%n",
                        (System.nanoTime() - start) / 1e9, requests(next), next.memory());
                assertThat(requests(next).get("create")).isLessThanOrEqualTo(1L);
                assertThat(requests(next).get("delete")).isZero();
            }
            assertThat(pods.templates()).hasSize(TEMPLATES);
        }
    }

    /** As many at once as the API server bears. */
    private static void make(LocalCluster cluster) throws Exception {
        ConcurrentLinkedQueue<Future<?>> all = new ConcurrentLinkedQueue<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(12)) {
            for (int pod = 0; pod < PODS; pod++) {
                DeviceClaim claim = ClaimPods.claim("class-" + pod % TEMPLATES + ".example.com");
                String text = """
                        {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p-%1$d",
                          "labels":{"plainsail.dev/claim-template":"%2$s"},
                          "annotations":{"plainsail.dev/claim-spec":%3$s}},
                         "spec":{"schedulingGates":[{"name":"test/never"}],
                          "resourceClaims":[{"name":"plainsail","resourceClaimTemplateName":"%2$s"}],
                          "containers":[{"name":"a","image":"x","resources":{"claims":[{"name":"plainsail"}]}}]}}
                        """.formatted(pod, claim.templateName(), quoted(claim.canonical()));
                all.add(threads.submit(() -> cluster.client().raw("/api/v1/namespaces/scale/pods", "POST", text)));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
    }

    private static String quoted(String text) {
        return JSON.writeValueAsString(text);
    }

    /** By the API server's own count, without reading them all. */
    private static long claims(LocalCluster cluster) {
        String page = cluster.client().raw("/apis/resource.k8s.io/v1/namespaces/scale/resourceclaims?limit=1");
        var tree = JSON.readTree(page.getBytes(StandardCharsets.UTF_8));
        return tree.path("items").size()
                + tree.at("/metadata/remainingItemCount").asLong(0);
    }

    private static Map<String, Long> requests(WebhookProcess webhook) throws Exception {
        Map<String, Long> byVerb = new TreeMap<>();
        webhook.metrics()
                .lines()
                .filter(line -> line.startsWith("plainsail_api_requests_total{"))
                .forEach(line -> {
                    String verb = line.replaceAll(".*verb=\"([a-z]+)\".*", "$1");
                    byVerb.put(verb, (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)));
                });
        return byVerb;
    }
}
