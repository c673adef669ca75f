package dev.plainsail.e2e.picker;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.plainsail.e2e.certificates.PickerStreams;
import dev.plainsail.e2e.cluster.GoModule;
import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.webhook.AccountConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * InferencePool, InferenceObjective and InferenceModelRewrite as their own project defines them, on the real API server: the picker
 * serves from them with the rights of the shipped manifests, and follows what becomes of them.
 */
@ExtendWith(SharedCluster.class)
class InferenceKindsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String NAMESPACE = "inference-kinds";

    private final LocalCluster cluster;
    private final Kubectl kubectl;

    @TempDir
    private Path folder;

    InferenceKindsIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.kubectl = cluster.kubectl();
    }

    /** CASES MAN-11. */
    @Test
    void pickerServesFromInferencePoolAndFollowsItsRewritesAndItsEnd() throws Exception {
        Path kinds = GoModule.INFERENCE_KINDS
                .find(System.getenv())
                .orElseGet(() ->
                        abort("skipped: InferencePool on the API server, because there is no Go to get its kinds"));
        Path kubeconfig = null;
        try {
            kubectl.run("apply", "--server-side", "-f", kinds.toString());
            kubectl.run("wait", "--for=condition=Established", "--timeout=120s", "crd", "--all");
            kubectl.run("create", "namespace", NAMESPACE);
            create(OBJECTS);
            account();
            kubeconfig = AccountConfig.write(cluster, NAMESPACE, "plainsail-epp");
            kubectl.run("-n", NAMESPACE, "wait", "--for=condition=Ready", "--timeout=120s", "pod/engine");
            String address = kubectl.run("-n", NAMESPACE, "get", "pod", "engine", "-o", "jsonpath={.status.podIP}")
                    .strip();
            Set<Long> seen = ConcurrentHashMap.newKeySet();
            try (PickerProcess picker = PickerProcess.inCluster(folder, kubeconfig, NAMESPACE);
                    PickerStreams streams = new PickerStreams(picker.port(), seen)) {
                await("the pool's endpoint").atMost(PATIENCE).until(() -> {
                    PickerStreams.Answer answer = streams.pick().join();
                    return answer.isPicked() && answer.messages().contains(address + ":8123");
                });
                create(REWRITE);
                await("the rewritten model")
                        .atMost(PATIENCE)
                        .until(() -> streams.pick().join().messages().contains("m-tuned"));
                kubectl.run("-n", NAMESPACE, "delete", "inferencemodelrewrites", "tuned");
                await("the plain model again")
                        .atMost(PATIENCE)
                        .until(() -> !streams.pick().join().messages().contains("m-tuned"));
                kubectl.run("-n", NAMESPACE, "delete", "inferencepools.inference.networking.k8s.io", "chat");
                await("no pool, no endpoint")
                        .atMost(PATIENCE)
                        .until(() -> !streams.pick().join().isPicked());
                assertThat(picker.log()).doesNotContain("cannot list").doesNotContain("forbidden");
            }
        } finally {
            if (kubeconfig != null) {
                Files.deleteIfExists(kubeconfig);
            }
            kubectl.run("delete", "clusterrole,clusterrolebinding", "-l", "test=inference-kinds");
            kubectl.run("delete", "namespace", NAMESPACE, "--ignore-not-found", "--wait=false");
            kubectl.run("delete", "--ignore-not-found", "-f", kinds.toString());
        }
    }

    /** The shipped role, under a name of its own, so that no other test's install is in the way. */
    private void account() throws Exception {
        create(Files.readString(Checkout.find().manifests("base/epp/rbac.yaml"))
                .replace("plainsail-system", NAMESPACE)
                .replaceAll(
                        "(kind: ClusterRole(?:Binding)?)\nmetadata:\n  name: plainsail-epp",
                        "$1\nmetadata:\n  labels: {test: inference-kinds}\n  name: inference-kinds")
                .replace("kind: ClusterRole, name: plainsail-epp", "kind: ClusterRole, name: inference-kinds"));
    }

    private void create(String text) throws Exception {
        Kubectl.Result result = kubectl.tryRun(text, "-n", NAMESPACE, "create", "-f", "-");
        assertThat(result.exitCode()).as(result.errors()).isZero();
    }

    private static final String OBJECTS = """
            apiVersion: inference.networking.k8s.io/v1
            kind: InferencePool
            metadata: {name: chat}
            spec:
              selector: {matchLabels: {app: engine}}
              targetPorts: [{number: 8123}]
              endpointPickerRef: {name: plainsail-epp, port: {number: 9002}}
            ---
            apiVersion: inference.networking.x-k8s.io/v1alpha2
            kind: InferenceObjective
            metadata: {name: batch}
            spec: {priority: -1, poolRef: {name: chat}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: engine, labels: {app: engine}}
            spec:
              terminationGracePeriodSeconds: 0
              containers: [{name: a, image: x, command: [sleep, "600"]}]
            """;

    private static final String REWRITE = """
            apiVersion: inference.networking.x-k8s.io/v1alpha2
            kind: InferenceModelRewrite
            metadata: {name: tuned}
            spec:
              poolRef: {name: chat}
              rules:
              - matches: [{model: {value: m}}]
                targets: [{modelRewrite: m-tuned, weight: 1}]
            """;
}
