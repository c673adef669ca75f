package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestNamespaces;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.story.Installation;
import dev.plainsail.e2e.story.RunningContainer;
import dev.plainsail.e2e.webhook.EngineWorkload.Spread;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each kind of workload through the installed webhook, by the cluster's own controllers: created, rolled, scaled, undone and
 * deleted, with its pods read back each time, from their objects and from their running processes.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorkloadsIT {
    private static final String NAMESPACE = "workloads";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    static Path programs = Path.of("");

    private final LocalCluster cluster;
    private Installation installation;

    WorkloadsIT(LocalCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    void install() throws Exception {
        TestNamespaces.create(cluster.client(), NAMESPACE);
        EngineWorkload.addImage(cluster, programs);
        installation = Installation.webhookOnly(cluster, Checkout.find());
        // It starts its first job within a minute, while others are tested.
        workload("CronJob", "nightly").create("""
                apiVersion: batch/v1
                kind: CronJob
                metadata:
                  name: nightly
                  annotations: {ANNOTATIONS}
                spec:
                  schedule: "* * * * *"
                  concurrencyPolicy: Forbid
                  jobTemplate:
                    spec:
                      template:
                        metadata: {labels: {app: nightly}}
                        spec: {restartPolicy: Never, POD}
                """, Spread.TWO);
    }

    @AfterAll
    void remove() throws Exception {
        cluster.client().namespaces().withName(NAMESPACE).delete();
        if (installation != null) {
            installation.close();
        }
    }

    private EngineWorkload workload(String kind, String name) {
        return new EngineWorkload(cluster, NAMESPACE, kind, name);
    }

    @Test
    void deployment() throws Exception {
        EngineWorkload workload = workload("Deployment", "deployed");
        workload.create("""
                apiVersion: apps/v1
                kind: Deployment
                metadata:
                  name: deployed
                  annotations: {ANNOTATIONS}
                spec:
                  replicas: 1
                  selector: {matchLabels: {app: deployed}}
                  template:
                    metadata: {labels: {app: deployed}}
                    spec: {POD}
                """, Spread.TWO);
        workload.awaitPods(1, Spread.TWO);
        assertThat(revisions("deployed")).isEqualTo(1);

        workload.annotate(Spread.ONE);
        workload.awaitPods(1, Spread.ONE);
        assertThat(revisions("deployed")).as("one more").isEqualTo(2);

        workload.kubectl("scale", "--replicas=2");
        workload.awaitPods(2, Spread.ONE);

        // A Deployment's annotations are part of a revision, so undoing brings the old ones back.
        workload.rollout("undo");
        workload.awaitPods(2, Spread.TWO);
        assertThat(revisions("deployed")).as("the first one again").isEqualTo(2);
        assertThat(workload.annotation("plainsail.dev/parallelism")).isEqualTo(Spread.TWO.parallelism());
        workload.delete();
    }

    private int revisions(String app) {
        return cluster.client()
                .apps()
                .replicaSets()
                .inNamespace(NAMESPACE)
                .withLabel("app", app)
                .list()
                .getItems()
                .size();
    }

    @Test
    void statefulSet() throws Exception {
        EngineWorkload workload = workload("StatefulSet", "stateful");
        workload.create("""
                apiVersion: apps/v1
                kind: StatefulSet
                metadata:
                  name: stateful
                  annotations: {ANNOTATIONS}
                spec:
                  replicas: 1
                  serviceName: stateful
                  selector: {matchLabels: {app: stateful}}
                  template:
                    metadata: {labels: {app: stateful}}
                    spec: {POD}
                """, Spread.TWO);
        workload.awaitPods(1, Spread.TWO);
        workload.annotate(Spread.ONE);
        workload.awaitPods(1, Spread.ONE);
        workload.kubectl("scale", "--replicas=2");
        workload.awaitPods(2, Spread.ONE);
        undoOfATemplate(workload, 2);
        workload.delete();
    }

    @Test
    void daemonSet() throws Exception {
        EngineWorkload workload = workload("DaemonSet", "everywhere");
        workload.create("""
                apiVersion: apps/v1
                kind: DaemonSet
                metadata:
                  name: everywhere
                  annotations: {ANNOTATIONS}
                spec:
                  selector: {matchLabels: {app: everywhere}}
                  template:
                    metadata: {labels: {app: everywhere}}
                    spec: {nodeSelector: {kubernetes.io/hostname: node-1}, POD}
                """, Spread.TWO);
        workload.awaitPods(1, Spread.TWO);
        workload.annotate(Spread.ONE);
        workload.awaitPods(1, Spread.ONE);
        undoOfATemplate(workload, 1);
        workload.delete();
    }

    /**
     * These kinds' revisions hold the template only. What the user changed there comes back; what we copied follows the
     * annotations on the workload, which no undo touches.
     */
    private static void undoOfATemplate(EngineWorkload workload, int pods) throws Exception {
        workload.kubectl("set env", "MARK=new");
        workload.awaitPods(
                pods, Spread.ONE, pod -> EngineWorkload.variable(pod, "MARK").equals("new"));
        workload.rollout("undo");
        workload.awaitPods(
                pods, Spread.ONE, pod -> EngineWorkload.variable(pod, "MARK").isEmpty());
        String before = workload.uids();
        workload.rollout("undo", "--to-revision=1");
        assertThat(workload.templateAnnotation("plainsail.dev/parallelism"))
                .as("as on the workload itself")
                .isEqualTo(Spread.ONE.parallelism());
        workload.rollout("status", "--timeout=120s");
        assertThat(workload.uids()).as("no pod was replaced").isEqualTo(before);
    }

    @Test
    void job() throws Exception {
        EngineWorkload workload = workload("Job", "once");
        workload.create("""
                apiVersion: batch/v1
                kind: Job
                metadata:
                  name: once
                  annotations: {ANNOTATIONS}
                spec:
                  parallelism: 1
                  completions: 2
                  template:
                    metadata: {labels: {app: once}}
                    spec: {restartPolicy: Never, POD}
                """, Spread.TWO);
        workload.awaitPods(1, Spread.TWO);
        // Its template cannot be changed, so an annotation that comes later changes nothing.
        workload.annotate(Spread.ONE);
        assertThat(workload.templateAnnotation("plainsail.dev/parallelism")).isEqualTo(Spread.TWO.parallelism());
        workload.kubectl("patch", "-p", "{\"spec\":{\"parallelism\":2}}");
        workload.awaitPods(2, Spread.TWO);
        workload.delete();
    }

    @Test
    void cronJob() throws Exception {
        EngineWorkload workload = workload("CronJob", "nightly");
        workload.awaitPods(1, Spread.TWO);
        List<Pod> pods = workload.pods();
        assertThat(pods.getFirst().getMetadata().getOwnerReferences())
                .singleElement()
                .satisfies(owner -> assertThat(owner.getKind()).isEqualTo("Job"));
        workload.annotate(Spread.ONE);
        workload.kubectl("patch", "-p", "{\"spec\":{\"concurrencyPolicy\":\"Replace\"}}");
        workload.awaitPods(1, Spread.ONE);
        workload.delete();
        await().atMost(PATIENCE)
                .until(() -> cluster.client()
                        .batch()
                        .v1()
                        .jobs()
                        .inNamespace(NAMESPACE)
                        .withLabel("app", "nightly")
                        .list()
                        .getItems()
                        .isEmpty());
    }

    /** As LeaderWorkerSet's controller makes them; {@code LeaderWorkerSetIT} has the real one. */
    @Test
    void podsOfAGroup() throws Exception {
        for (int index : List.of(0, 1)) {
            String text = """
                    apiVersion: v1
                    kind: Pod
                    metadata:
                      name: %1$s
                      labels:
                        app: group
                        leaderworkerset.sigs.k8s.io/name: group
                        leaderworkerset.sigs.k8s.io/worker-index: "%2$d"
                      annotations:
                        leaderworkerset.sigs.k8s.io/size: "2"
                        plainsail.dev/devices: gpu.plainsail.test
                        plainsail.dev/parallelism: tensor=4
                    spec:
                      terminationGracePeriodSeconds: 5
                      containers:
                      - name: engine
                        image: %3$s
                        args: [tiny]
                        env: [{name: LWS_LEADER_ADDRESS, value: group-0.group.workloads}]
                    """.formatted(index == 0 ? "group-0" : "group-0-1", index, EngineWorkload.IMAGE);
            Kubectl.Result result = cluster.kubectl().tryRun(text, "create", "-n", NAMESPACE, "-f", "-");
            assertThat(result.exitCode()).as(result.errors()).isZero();
        }
        EngineWorkload group = workload("Pod", "group");
        List<Pod> pods = await().atMost(PATIENCE)
                .until(group::pods, found -> found.size() == 2 && found.stream().allMatch(EngineWorkload::isRunning));
        for (Pod pod : pods) {
            boolean isLeader = pod.getMetadata().getName().equals("group-0");
            String words = String.join(" ", RunningContainer.of(pod, "engine").words());
            assertThat(words)
                    .contains("--tensor-parallel-size 4 --nnodes 2 --node-rank " + (isLeader ? 0 : 1)
                            + " --master-addr group-0.group.workloads");
            assertThat(words.contains("--headless")).isNotEqualTo(isLeader);
        }
        cluster.kubectl().run("delete", "pods", "-n", NAMESPACE, "-l", "app=group", "--timeout=120s");
    }
}
