package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Namespaces that end while the claim-template controller has work there, held back by a finalizer on their pods. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndingNamespaceIT {
    private static final String LEFT = "the namespace ends";
    private static final List<String> PODS = List.of("a", "b", "c");

    private final LocalCluster cluster;
    private WebhookProcess webhook;

    EndingNamespaceIT(LocalCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    void start() throws IOException {
        webhook = WebhookProcess.start(cluster, "--namespace=default", "--lease=ending-namespace-test")
                .awaitServing();
    }

    @AfterAll
    void stop() throws IOException {
        webhook.close();
    }

    /** A quota, which ends with the namespace, keeps the templates from being made before. */
    @Test
    void podsThatWaitForTemplatesEndAndNothingIsWarnedOf() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "ends-waiting");
        pods.create("""
                {"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},
                 "spec":{"hard":{"count/resourceclaimtemplates.resource.k8s.io":"0"}}}
                """);
        await().until(() -> cluster.kubectl()
                .run("-n", "ends-waiting", "get", "resourcequota", "q", "-o", "jsonpath={.status.hard}")
                .contains("resourceclaimtemplates"));
        makeHeldPods(pods);
        await("each to be refused by the quota").until(() -> PODS.stream().allMatch(pod -> saysOfQuota(pods, pod)));
        end(pods);
        release(pods);
        assertThat(lines(pods, LEFT)).hasSizeLessThan(2);
        assertThat(lines(pods, "is being terminated")).isEmpty();
        assertThat(pods.templates()).isEmpty();
    }

    /** Kubernetes itself lets templates stay until the pods are gone; here somebody deletes them before. */
    @Test
    void templatesInUseAreNotMadeAgainAndNothingIsWarnedOf() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "ends-used");
        makeHeldPods(pods);
        pods.awaitClaimed(PODS.toArray(String[]::new));
        end(pods);
        cluster.kubectl().run("-n", "ends-used", "delete", "resourceclaimtemplates", "--all");
        release(pods);
        assertThat(lines(pods, LEFT)).hasSizeLessThan(2);
        assertThat(lines(pods, "created a template")).hasSameSizeAs(PODS);
        assertThat(lines(pods, "WARN")).isEmpty();
        assertThat(lines(pods, "ERROR")).isEmpty();
    }

    /** By this cause the controller knows that the namespace ends, whatever the words. */
    @Test
    void apiServerSaysByACauseThatTheNamespaceEnds() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "ends-refusing");
        makeHeldPods(pods);
        end(pods);
        assertThatThrownBy(() -> cluster.client()
                        .resource(new ConfigMapBuilder()
                                .withNewMetadata()
                                .withNamespace(pods.namespace())
                                .withName("late")
                                .endMetadata()
                                .build())
                        .create())
                .isInstanceOfSatisfying(KubernetesClientException.class, e -> {
                    assertThat(e.getCode()).isEqualTo(403);
                    assertThat(e.getStatus().getDetails().getCauses())
                            .anyMatch(cause -> "NamespaceTerminating".equals(cause.getReason()));
                });
        release(pods);
    }

    /** Each with a claim, and so a template, of its own. */
    private static void makeHeldPods(ClaimPods pods) throws Exception {
        for (int i = 0; i < PODS.size(); i++) {
            String pod = ClaimPods.template("absent.example.com x" + (i + 1))
                    .replace("metadata: {", "metadata: {name: " + PODS.get(i) + ", finalizers: [example.com/held], ");
            pods.create("apiVersion: v1\nkind: Pod\n" + pod);
        }
    }

    private boolean saysOfQuota(ClaimPods pods, String pod) {
        return cluster
                .client()
                .v1()
                .events()
                .inNamespace(pods.namespace())
                .withField("involvedObject.name", pod)
                .list()
                .getItems()
                .stream()
                .anyMatch(event -> String.valueOf(event.getMessage()).contains("exceeded quota"));
    }

    private void end(ClaimPods pods) throws Exception {
        cluster.kubectl().run("delete", "namespace", pods.namespace(), "--wait=false");
        await("its pods to be told to go")
                .until(() -> cluster.client().pods().inNamespace(pods.namespace()).list().getItems().stream()
                        .allMatch(pod -> pod.getMetadata().getDeletionTimestamp() != null));
    }

    private void release(ClaimPods pods) throws Exception {
        for (String pod : PODS) {
            cluster.kubectl()
                    .run("-n", pods.namespace(), "patch", "pod", pod, "-p", "{\"metadata\":{\"finalizers\":null}}");
        }
        await(pods.namespace() + " to be gone")
                .until(() ->
                        cluster.client().namespaces().withName(pods.namespace()).get() == null);
    }

    private List<String> lines(ClaimPods pods, String with) throws IOException {
        return webhook.log(pods.namespace())
                .lines()
                .filter(line -> line.contains(with))
                .toList();
    }
}
