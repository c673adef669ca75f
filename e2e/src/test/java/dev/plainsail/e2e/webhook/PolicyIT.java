package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestNamespaces;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.webhook.Shapes.Shape;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shipped ValidatingAdmissionPolicies on a real API server, without the webhook: what they let through and what not. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PolicyIT {
    private static final String NAMESPACE = "policies";
    private static final String POLICY =
            Checkout.find().manifests("base/webhook/policy.yaml").toString();
    private static final String ENTRY = ", resourceClaims: [{name: plainsail, resourceClaimTemplateName: t}]";
    private static final String USE = ", resources: {claims: [{name: plainsail}]}";
    private static final String PLAN = "plainsail.dev/plan: '{\"claim\":{\"source\":\"template/t\"}}'";

    private final KubernetesClient client;
    private final Kubectl kubectl;

    PolicyIT(LocalCluster cluster) {
        client = cluster.client();
        kubectl = cluster.kubectl();
    }

    @BeforeAll
    void install() throws Exception {
        // With its ServiceAccount: without it pods are refused too, and the policies would seem to be there.
        TestNamespaces.create(client, NAMESPACE);
        kubectl.run("apply", "-f", POLICY);
        await().until(() ->
                create(pod("plainsail.dev/devices: a", "", "", "")).errors().contains("did not see it")
                        && create(pod(PLAN, "", "", "")).errors().contains("took it away"));
    }

    @AfterAll
    void remove() throws Exception {
        kubectl.run("delete", "-f", POLICY);
        kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
    }

    @Test
    void expressionsAreSoundForTheApiServer() throws Exception {
        await().until(() -> kubectl.run(
                        "get", "validatingadmissionpolicies", "-o", "jsonpath={.items[*].status.typeChecking}")
                .contains("{"));
        assertThat(kubectl.run("get", "validatingadmissionpolicies", "-o", "jsonpath={.items[*].status}"))
                .doesNotContain("expressionWarnings");
    }

    static List<Shape> otherPods() {
        return Shapes.all().stream()
                .filter(shape -> shape.object().get("kind").asString().equals("Pod") && !shape.called())
                .filter(shape -> shape.namespace().equals("shapes"))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("otherPods")
    void podsThatDoNotConcernUsPass(Shape shape) throws Exception {
        assertThat(create(shape.object().toString()).errors()).isEmpty();
    }

    @Test
    void podThatTheWebhookDidNotSeeIsRefused() throws Exception {
        assertThat(create(pod("plainsail.dev/devices: gpu.nvidia.com", "", "", ""))
                        .errors())
                .contains("Plainsail's webhook did not see it");
        assertThat(create(pod("plainsail.dev/claim: template/t", "", "", "")).errors())
                .contains("Plainsail's webhook did not see it");
        assertThat(create(pod("plainsail.dev/devices: ' auto '", "", "", "")).errors())
                .isEmpty();
    }

    @Test
    void podThatLostItsClaimIsRefused() throws Exception {
        assertThat(create(pod(PLAN, "", "", "")).errors()).contains("something that ran after it took it away");
        assertThat(create(pod(PLAN, "", "", ENTRY)).errors()).contains("no container of this pod uses the claim");
        assertThat(create(pod(PLAN, "plainsail.dev/claim-template: other", USE, ENTRY))
                        .errors())
                .contains("name different templates");
        assertThat(create(pod(PLAN, "plainsail.dev/claim-template: t", USE, ENTRY))
                        .errors())
                .isEmpty();
    }

    private static String pod(String annotation, String label, String container, String spec) {
        return """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: p
                  annotations: {%s}
                  labels: {%s}
                spec: {containers: [{name: a, image: x%s}]%s}
                """.formatted(annotation, label, container, spec);
    }

    private Kubectl.Result create(String text) throws Exception {
        return kubectl.tryRun(text, "-n", NAMESPACE, "create", "--dry-run=server", "-f", "-");
    }
}
