package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestNamespaces;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.story.Installation;
import dev.plainsail.e2e.story.RunningContainer;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A LeaderWorkerSet with its own controller and webhooks beside ours: one engine over two pods, rolled, scaled and deleted.
 * Skipped with one line when the controller is not there.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LeaderWorkerSetIT {
    private static final String NAMESPACE = "groups";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String PREFIX = "leaderworkerset.sigs.k8s.io/";

    @TempDir
    static Path programs = Path.of("");

    private final LocalCluster cluster;
    private Installation installation;
    private LwsController controller;

    LeaderWorkerSetIT(LocalCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    void install() throws Exception {
        Optional<Path> module = LwsController.wanted(System.getenv());
        if (module.isEmpty()) {
            System.err.println("Tests with LeaderWorkerSet's controller are skipped: " + LwsController.HOW);
        }
        assumeTrue(module.isPresent(), "LeaderWorkerSet's controller is not there");
        TestNamespaces.create(cluster.client(), NAMESPACE);
        EngineWorkload.addImage(cluster, programs);
        controller = LwsController.start(cluster, module.orElseThrow());
        installation = Installation.webhookOnly(cluster, Checkout.find());
    }

    @AfterAll
    void remove() throws Exception {
        if (controller != null) {
            cluster.client().namespaces().withName(NAMESPACE).delete();
            controller.close();
        }
        if (installation != null) {
            installation.close();
        }
    }

    @Test
    void oneEngineOverTheLeaderAndItsWorker() throws Exception {
        kubectl("""
                apiVersion: leaderworkerset.x-k8s.io/v1
                kind: LeaderWorkerSet
                metadata:
                  name: group
                  annotations:
                    plainsail.dev/devices: gpu.plainsail.test
                    plainsail.dev/parallelism: tensor=2
                    plainsail.dev/pool: chat
                    plainsail.dev/port: "8001"
                spec:
                  replicas: 1
                  leaderWorkerTemplate:
                    size: 2
                    leaderTemplate:
                      metadata: {labels: {app: group}}
                      spec: {POD}
                    workerTemplate:
                      metadata: {labels: {app: group}}
                      spec: {POD}
                """.replace("POD", EngineWorkload.POD), "create", "-f", "-");
        List<Pod> first = awaitGroups(1, "--tensor-parallel-size 2");
        Pod leader = first.getFirst();
        Pod worker = first.getLast();
        assertThat(words(leader))
                .contains("--nnodes 2 --node-rank 0 --master-addr group-0.group." + NAMESPACE, "--port 8001")
                .doesNotContain("--headless");
        assertThat(words(worker))
                .contains("--nnodes 2 --node-rank 1 --master-addr group-0.group." + NAMESPACE, "--headless")
                .doesNotContain("--port");
        assertThat(leader.getMetadata().getLabels()).containsEntry("plainsail.dev/pool", "chat");
        assertThat(worker.getMetadata().getLabels()).doesNotContainKey("plainsail.dev/pool");
        for (Pod pod : first) {
            assertThat(pod.getSpec().getResourceClaims())
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.getName()).isEqualTo("plainsail"));
        }

        kubectl("", "annotate", "lws", "group", "--overwrite", "plainsail.dev/parallelism=tensor=4");
        List<Pod> rolled = awaitGroups(1, "--tensor-parallel-size 4");
        assertThat(words(rolled.getLast())).contains("--node-rank 1");

        kubectl("", "patch", "lws", "group", "--type=merge", "-p", "{\"spec\":{\"replicas\":2}}");
        List<Pod> scaled = awaitGroups(2, "--tensor-parallel-size 4");
        assertThat(words(scaled.getLast())).contains("--master-addr group-1.group." + NAMESPACE);
        assertThat(cluster.kubectl()
                        .run("get", "controllerrevisions", "-n", NAMESPACE, "-o", "name", "-l", PREFIX + "name=group")
                        .lines())
                .as("two of the set and of its leaders, one of each group's workers")
                .hasSizeLessThanOrEqualTo(6);

        kubectl("", "delete", "lws", "group", "--cascade=foreground", "--timeout=120s");
        await().atMost(PATIENCE).until(() -> pods().isEmpty());
    }

    private void kubectl(String input, String... words) throws Exception {
        List<String> all = new java.util.ArrayList<>(List.of(words));
        all.addAll(List.of("-n", NAMESPACE));
        var result = cluster.kubectl().tryRun(input, all.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.errors()).isZero();
    }

    /** Leader before worker, group by group, all of them running with these words and nothing else left. */
    private List<Pod> awaitGroups(int groups, String words) {
        return await(groups + " groups with " + words)
                .atMost(PATIENCE)
                .until(
                        this::pods,
                        pods -> pods.size() == 2 * groups
                                && pods.stream()
                                        .allMatch(pod -> pod.getMetadata().getDeletionTimestamp() == null
                                                && EngineWorkload.isRunning(pod)
                                                && EngineWorkload.arguments(pod).contains(words)));
    }

    private List<Pod> pods() {
        return cluster.client().pods().inNamespace(NAMESPACE).withLabel("app", "group").list().getItems().stream()
                .sorted((a, b) -> place(a).compareTo(place(b)))
                .toList();
    }

    private static String place(Pod pod) {
        Map<String, String> labels = pod.getMetadata().getLabels();
        return labels.get(PREFIX + "group-index") + "/" + labels.get(PREFIX + "worker-index");
    }

    /** Of the running process. */
    private static String words(Pod pod) throws Exception {
        return String.join(" ", RunningContainer.of(pod, "engine").words());
    }
}
