package dev.plainsail.e2e.story;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.K3s;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.realnode.Unavailable;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.opentest4j.TestAbortedException;

/**
 * The install as users have it on k3s: our images, the shipped manifests, one {@code kubectl annotate}. k3s has no devices, so
 * the pod's claim is made and waits. Where this machine cannot run k3s, one line says why and nothing is tried; {@code
 * PLAINSAIL_K3S=required} makes that a failure.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class K3sIT {
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private @Nullable K3s k3s;

    @BeforeAll
    void start() throws Exception {
        Checkout checkout = Checkout.find();
        try {
            if (!NodeParts.imagesAreBuilt(checkout)) {
                throw new Unavailable("the images are not built here: mvn -DskipTests -Pimages package");
            }
            k3s = K3s.start(System.getenv(), List.of(checkout.image("webhook"), checkout.image("epp")));
        } catch (Unavailable e) {
            if ("required".equals(System.getenv("PLAINSAIL_K3S"))) {
                throw e;
            }
            System.err.println("K3sIT is skipped: " + e.getMessage());
            throw new TestAbortedException(String.valueOf(e.getMessage()));
        }
        Installation.webhookOnly(k3s.cluster(), checkout);
    }

    @AfterAll
    void stop() throws IOException {
        if (k3s != null) {
            k3s.close();
        }
    }

    @Test
    void oneAnnotationGivesThePodItsTemplateAndItsClaim() throws Exception {
        LocalCluster cluster = Objects.requireNonNull(k3s).cluster();
        var applied = cluster.kubectl().tryRun("""
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: engine, namespace: default}
                spec:
                  selector: {matchLabels: {app: engine}}
                  template:
                    metadata: {labels: {app: engine}}
                    spec: {containers: [{name: engine, image: registry.example/engine:1, command: [sleep, "600"]}]}
                """, "apply", "-f", "-");
        assertThat(applied.exitCode()).as(applied.errors()).isZero();
        cluster.kubectl().run("annotate", "deployment", "engine", "plainsail.dev/devices=gpu.nvidia.com x2");
        Pod pod = await("a pod with its claim").atMost(PATIENCE).until(() -> claimed(cluster), found -> found != null);
        String template = pod.getMetadata().getLabels().get("plainsail.dev/claim-template");
        assertThat(pod.getSpec().getResourceClaims())
                .singleElement()
                .satisfies(entry -> assertThat(entry.getResourceClaimTemplateName())
                        .isEqualTo(template)
                        .isNotNull());
        ResourceClaim claim = cluster.client()
                .resources(ResourceClaim.class)
                .inNamespace("default")
                .withName(pod.getStatus().getResourceClaimStatuses().getFirst().getResourceClaimName())
                .get();
        assertThat(claim.getSpec().getDevices().getRequests())
                .singleElement()
                .satisfies(
                        request -> assertThat(request.getExactly().getCount()).isEqualTo(2));
    }

    private static @Nullable Pod claimed(LocalCluster cluster) {
        return cluster.client().pods().inNamespace("default").withLabel("app", "engine").list().getItems().stream()
                .filter(pod -> !pod.getStatus().getResourceClaimStatuses().isEmpty())
                .findFirst()
                .orElse(null);
    }
}
