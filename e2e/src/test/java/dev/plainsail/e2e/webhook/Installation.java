package dev.plainsail.e2e.webhook;

import static org.awaitility.Awaitility.await;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.node.Image;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Plainsail's webhook in a cluster, installed from the shipped manifests as a user does it. */
final class Installation implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String NAMESPACE = "plainsail-system";

    private final LocalCluster cluster;

    private Installation(LocalCluster cluster) {
        this.cluster = cluster;
    }

    /** Applies {@code manifests/base} and waits until the webhook is asked. The picker is not needed here. */
    static Installation of(LocalCluster cluster) throws IOException, InterruptedException {
        Path programs = ShippedManifests.folder().resolveSibling("webhook/target/dist/bin");
        if (!Files.isExecutable(programs.resolve("plainsail-webhook"))) {
            throw new IllegalStateException("not built: " + programs);
        }
        cluster.podRunner()
                .addImage(new Image(
                        "ghcr.io/plainsail/webhook:*",
                        programs,
                        List.of(),
                        List.of(),
                        Map.of("JAVA_HOME", System.getProperty("java.home"))));
        cluster.apply(ShippedManifests.folder().resolve("base"));
        cluster.kubectl().run("-n", NAMESPACE, "scale", "deployment/plainsail-epp", "--replicas=0");
        Installation installation = new Installation(cluster);
        installation.awaitServing();
        return installation;
    }

    void awaitServing() throws IOException, InterruptedException {
        try {
            awaitAsked();
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException(
                    cluster.kubectl().run("-n", NAMESPACE, "describe", "pods") + "\n" + log(), e);
        }
    }

    private void awaitAsked() {
        KubernetesClient client = cluster.client();
        await("the webhook to be ready").atMost(PATIENCE).until(() -> {
            var status = client.apps()
                    .deployments()
                    .inNamespace(NAMESPACE)
                    .withName("plainsail-webhook")
                    .get()
                    .getStatus();
            Integer wanted = client.apps()
                    .deployments()
                    .inNamespace(NAMESPACE)
                    .withName("plainsail-webhook")
                    .get()
                    .getSpec()
                    .getReplicas();
            return status.getReadyReplicas() != null
                    && status.getReadyReplicas().equals(wanted);
        });
        await("the webhook to be asked").atMost(PATIENCE).until(() -> probe().exitCode() == 0);
    }

    /** An annotated pod, not kept: it passes only if the API server reaches the webhook and trusts it. */
    private Kubectl.Result probe() throws IOException, InterruptedException {
        return cluster.kubectl().tryRun("""
                        apiVersion: v1
                        kind: Pod
                        metadata:
                          name: probe
                          namespace: default
                          annotations: {plainsail.dev/devices: gpu.nvidia.com}
                        spec: {containers: [{name: a, image: x, command: [sleep, "1"]}]}
                        """, "create", "--dry-run=server", "-f", "-");
    }

    void replicas(int number) throws IOException, InterruptedException {
        cluster.kubectl().run("-n", NAMESPACE, "scale", "deployment/plainsail-webhook", "--replicas=" + number);
        if (number == 0) {
            await("the webhook to be gone")
                    .atMost(PATIENCE)
                    .until(() -> cluster.client()
                            .pods()
                            .inNamespace(NAMESPACE)
                            .withLabel("app.kubernetes.io/name", "plainsail-webhook")
                            .list()
                            .getItems()
                            .isEmpty());
        } else {
            awaitServing();
        }
    }

    /** What the webhook logged so far; empty if it does not run. */
    String log() throws IOException {
        for (var pod : cluster.client()
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel("app.kubernetes.io/name", "plainsail-webhook")
                .list()
                .getItems()) {
            @Nullable
            Path log = cluster.podRunner()
                    .log(NAMESPACE, pod.getMetadata().getName(), "webhook", false)
                    .orElse(null);
            if (log != null) {
                return Files.readString(log);
            }
        }
        return "";
    }

    /** As the install notes say: first the configuration, then everything else. Waits until the namespace is gone. */
    @Override
    public void close() throws IOException {
        try {
            remove();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void remove() throws IOException, InterruptedException {
        cluster.kubectl().run("delete", "--ignore-not-found", "mutatingwebhookconfiguration", "plainsail");
        String base = ShippedManifests.folder().resolve("base").toString();
        cluster.kubectl().run("delete", "-k", base, "--ignore-not-found", "--wait=false");
        try {
            await("the namespace to be gone")
                    .atMost(PATIENCE)
                    .until(() ->
                            cluster.client().namespaces().withName(NAMESPACE).get() == null);
        } catch (ConditionTimeoutException e) {
            throw new IllegalStateException(
                    cluster.kubectl().run("get", "namespace", NAMESPACE, "-o", "yaml")
                            + cluster.kubectl().run("-n", NAMESPACE, "get", "pods", "-o", "yaml"),
                    e);
        }
    }
}
