package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestNamespaces;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.webhook.Shapes.Shape;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The shipped MutatingWebhookConfiguration on a real API server, with the webhook dead: what concerns us is refused, because
 * of failurePolicy Fail; everything else is created without asking. An error in one of its expressions would refuse every
 * pod of the cluster, so each kind of object comes in every shape that could trip them.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhookConfigurationIT {
    private static final String DEAD = "https://127.0.0.1:1/v1/mutate";
    private static final String NAMESPACE = "shapes";
    private static final String FAILED = "failed calling webhook \"mutate.plainsail.dev\"";

    private final KubernetesClient client;

    WebhookConfigurationIT(KubernetesClient client) {
        this.client = client;
    }

    @BeforeAll
    void installWithADeadWebhook() {
        TestNamespaces.create(client, NAMESPACE);
        TestNamespaces.create(client, "shapes-disabled", Map.of("plainsail.dev/injection", "disabled"));
        TestNamespaces.create(client, "shapes-observe", Map.of("plainsail.dev/injection", "observe"));
        client.load(WebhookConfigurationIT.class.getResourceAsStream("/webhook/leaderworkerset-crd.yaml"))
                .serverSideApply();
        await().until(() -> client.raw("/apis/leaderworkerset.x-k8s.io/v1") != null);
        for (String name : List.of("annotated-before", "doomed")) {
            post(deployment(name));
        }
        ObjectNode configuration = (ObjectNode) Shapes.YAML.readTree(
                Checkout.find().manifests("base/webhook/configuration.yaml").toFile());
        configuration.get("webhooks").forEach(webhook -> {
            ObjectNode clientConfig = (ObjectNode) webhook.get("clientConfig");
            clientConfig.remove("service");
            clientConfig.put("url", DEAD);
        });
        client.raw(
                "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
                "POST",
                configuration.toString());
        Shape called = Shapes.all().stream().filter(Shape::called).findFirst().orElseThrow();
        await("the API server to use the configuration").until(() -> isRefused(called));
    }

    @AfterAll
    void remove() {
        client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("plainsail")
                .delete();
        // Its namespace could not go otherwise.
        await("the API server to have forgotten the webhook").until(this::isLetGo);
        for (String namespace : List.of(NAMESPACE, "shapes-disabled", "shapes-observe")) {
            client.namespaces().withName(namespace).delete();
        }
    }

    static List<Shape> shapes() {
        return Shapes.all();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void onlyWhatConcernsUsIsAskedAbout(Shape shape) {
        if (shape.called()) {
            assertThatThrownBy(() -> create(shape))
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining(FAILED);
        } else {
            assertThat(create(shape)).contains("\"uid\"");
        }
    }

    @Test
    void annotatedDeploymentScalesWithTheWebhookDead() {
        client.apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName("annotated-before")
                .scale(2);
        assertThat(read("annotated-before").getSpec().getReplicas()).isEqualTo(2);
    }

    @Test
    void itsStatusCanBeWritten() {
        Deployment updated = client.apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName("annotated-before")
                .editStatus(deployment -> {
                    deployment.getStatus().setCollisionCount(1);
                    return deployment;
                });
        assertThat(updated.getStatus().getCollisionCount()).isEqualTo(1);
    }

    @Test
    void changeOfItWaitsForTheWebhook() {
        assertThatThrownBy(() -> patch("annotated-before", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"))
                .hasMessageContaining(FAILED);
    }

    @Test
    void deletedObjectsFinalizersGoWithTheWebhookDead() {
        var doomed = client.apps().deployments().inNamespace(NAMESPACE).withName("doomed");
        doomed.delete();
        assertThat(doomed.get().getMetadata().getDeletionTimestamp()).isNotNull();
        patch("doomed", "{\"metadata\":{\"finalizers\":null}}");
        await().until(() -> doomed.get() == null);
    }

    /** Case WH-15: the API server asks one webhook after the other and gives up on the request after 10 s in all. */
    @Test
    void wh15TheApiServerWaitsFiveSecondsForUsAtMostAndIsLetThrough() {
        JsonNode webhooks = Shapes.YAML
                .readTree(Checkout.find()
                        .manifests("base/webhook/configuration.yaml")
                        .toFile())
                .get("webhooks");
        assertThat(webhooks.valueStream()
                        .mapToInt(webhook -> webhook.get("timeoutSeconds").asInt()))
                .isNotEmpty()
                .allMatch(seconds -> seconds <= 5);
        assertThat(Checkout.find().manifests("base/network.yaml"))
                .content()
                .contains("kind: NetworkPolicy", "name: plainsail-webhook", "port: https");
    }

    private boolean isLetGo() {
        try {
            patch("annotated-before", "{\"metadata\":{\"finalizers\":null}}");
            return true;
        } catch (KubernetesClientException e) {
            return false;
        }
    }

    private Deployment read(String name) {
        return client.apps().deployments().inNamespace(NAMESPACE).withName(name).get();
    }

    private void patch(String name, String merge) {
        client.apps()
                .deployments()
                .inNamespace(NAMESPACE)
                .withName(name)
                .patch(PatchContext.of(PatchType.JSON_MERGE), merge);
    }

    private static JsonNode deployment(String name) {
        return Shapes.YAML.readTree("""
                apiVersion: apps/v1
                kind: Deployment
                metadata:
                  name: %s
                  finalizers: [example.com/wait]
                  annotations: {plainsail.dev/devices: gpu.nvidia.com}
                spec:
                  replicas: 0
                  selector: {matchLabels: {app: a}}
                  template:
                    metadata: {labels: {app: a}}
                    spec: {containers: [{name: a, image: x}]}
                """.formatted(name));
    }

    private void post(JsonNode deployment) {
        client.raw("/apis/apps/v1/namespaces/" + NAMESPACE + "/deployments", "POST", deployment.toString());
    }

    private String create(Shape shape) {
        return client.raw(shape.path(), "POST", shape.object().toString());
    }

    private boolean isRefused(Shape shape) {
        try {
            client.raw(shape.path() + "?dryRun=All", "POST", shape.object().toString());
            return false;
        } catch (KubernetesClientException e) {
            return String.valueOf(e.getMessage()).contains(FAILED);
        }
    }
}
