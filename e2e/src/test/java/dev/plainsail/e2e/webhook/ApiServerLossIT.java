package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.LocalCluster;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The API server goes away, comes back, and has forgotten. On a cluster of its own, because nobody else could bear it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApiServerLossIT {
    private LocalCluster cluster;

    @BeforeAll
    void start() {
        cluster = LocalCluster.start(System.getenv());
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    @Test
    void killedApiServerCostsNothingButTime() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "killed");
        try (WebhookProcess webhook =
                WebhookProcess.start(cluster, "--namespace=killed").awaitServing()) {
            pods.pod("before", "absent.example.com x1");
            pods.awaitClaimed("before");
            pods.pod("waits-1", "absent.example.com x2");
            pods.pod("waits-2", "absent.example.com x3");
            cluster.withoutApiServer(() -> await("leadership to run out")
                    .atMost(ClaimPods.PATIENCE)
                    .until(() -> webhook.log().contains("not leading any more")));
            pods.pod("after-1", "absent.example.com x3");
            pods.pod("after-2", "absent.example.com x4");
            pods.awaitClaimed("waits-1", "waits-2", "after-1", "after-2");
            assertThat(pods.templates()).containsExactlyInAnyOrder(names(1, 2, 3, 4));
            assertThat(webhook.log(pods.namespace())).doesNotContain("a template failed");
        }
    }

    /** The watch of pods ends, and when it can start again the API server does not know its place any more: 410 Gone. */
    @Test
    void watchThatCannotGoOnWhereItStoppedBeginsAnew() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "forgotten");
        try (CuttableConnection way = new CuttableConnection(cluster.kubeconfig());
                WebhookProcess webhook = WebhookProcess.start(way.kubeconfig(), "--namespace=forgotten")
                        .awaitServing()) {
            pods.pod("before", "absent.example.com x5");
            pods.awaitClaimed("before");
            String place = cluster.client()
                    .pods()
                    .inNamespace("forgotten")
                    .withName("before")
                    .get()
                    .getMetadata()
                    .getResourceVersion();
            way.cut();
            cluster.kubectl().run("-n", "forgotten", "delete", "pod", "before", "--force", "--grace-period=0");
            pods.pod("meanwhile", "absent.example.com x6");
            cluster.withoutApiServer(() -> {});
            // Only what a fresh API server read from its store at its start can be watched.
            assertThat(cluster.kubectl()
                            .run("get", "--raw", "/api/v1/pods?watch=1&timeoutSeconds=5&resourceVersion=" + place))
                    .contains("\"code\":410");
            way.restore();
            pods.awaitClaimed("meanwhile");
            pods.pod("after", "absent.example.com x7");
            pods.awaitClaimed("after");
            assertThat(pods.templates()).containsExactlyInAnyOrder(names(5, 6, 7));
            await("the view to have lost the pod that went unseen")
                    .atMost(ClaimPods.PATIENCE)
                    .until(() -> unused(5));
            assertThat(webhook.log(pods.namespace())).doesNotContain("a template failed");
        }
    }

    private boolean unused(int count) {
        return cluster.client()
                .dynamicResourceAllocation()
                .v1()
                .resourceClaimTemplates()
                .inNamespace("forgotten")
                .withName(names(count)[0])
                .get()
                .getMetadata()
                .getAnnotations()
                .containsKey("plainsail.dev/unused-since");
    }

    private static String[] names(int... counts) {
        return Arrays.stream(counts)
                .mapToObj(
                        count -> ClaimPods.claim("absent.example.com x" + count).templateName())
                .toArray(String[]::new);
    }

    /** Cut and joined again and again while pods come: each gets its claim. */
    @Test
    void cutConnectionsLoseNothing() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "cut");
        try (CuttableConnection way = new CuttableConnection(cluster.kubeconfig());
                WebhookProcess webhook = WebhookProcess.start(way.kubeconfig(), "--namespace=cut")
                        .awaitServing()) {
            for (int count : List.of(8, 9, 10)) {
                way.cut();
                pods.pod("p-" + count, "absent.example.com x" + count);
                way.restore();
            }
            pods.awaitClaimed("p-8", "p-9", "p-10");
            assertThat(pods.templates()).containsExactlyInAnyOrder(names(8, 9, 10));
            assertThat(webhook.log(pods.namespace())).doesNotContain("a template failed");
        }
    }
}
