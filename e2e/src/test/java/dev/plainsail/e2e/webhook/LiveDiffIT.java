package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestNamespaces;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.story.Installation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code plainsail diff --live} as a process, against pods of every kind of workload that the installed webhook wired and the
 * real controllers made.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LiveDiffIT {
    private static final String NAMESPACE = "live";
    private static final List<String> WITH_PODS =
            List.of("cronjob/nightly", "daemonset/agent", "deployment/qwen", "job/once", "statefulset/set");

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private record Run(int code, String out, String err) {}

    private final LocalCluster cluster;
    private final KubernetesClient client;
    private final Kubectl kubectl;
    private @Nullable Installation installation;

    @TempDir
    private Path folder;

    LiveDiffIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.kubectl = cluster.kubectl();
    }

    @BeforeAll
    void wireSome() throws Exception {
        kubectl.run("create", "namespace", NAMESPACE);
        installation = Installation.webhookOnly(cluster, Checkout.find());
        for (String yaml : List.of(
                workload("apps/v1", "Deployment", "qwen", "replicas: 1, "),
                workload("apps/v1", "StatefulSet", "set", "replicas: 1, serviceName: set, "),
                workload("apps/v1", "DaemonSet", "agent", ""),
                workload("apps/v1", "Deployment", "idle", "replicas: 0, "),
                """
                {apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {template: %s}}
                """.formatted(template("once", "restartPolicy: Never, ")),
                """
                {apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly},
                 spec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: %s}}}}
                """.formatted(template("nightly", "restartPolicy: Never, ")),
                """
                {apiVersion: apps/v1, kind: Deployment, metadata: {name: not-ours},
                 spec: {selector: {matchLabels: {app: not-ours}}, template: {metadata: {labels: {app: not-ours}},
                  spec: {containers: [{name: a, image: x, command: [sleep, "600"]}]}}}}
                """)) {
            apply(NAMESPACE, yaml);
        }
        // As the CronJob controller does at its hour.
        JsonNode cron = json(kubectl.run("-n", NAMESPACE, "get", "cronjob", "nightly", "-o", "json"));
        ObjectNode job = (ObjectNode)
                json("{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"nightly-1\"}}");
        job.withObject("/metadata")
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "batch/v1")
                .put("kind", "CronJob")
                .put("name", "nightly")
                .put("uid", cron.at("/metadata/uid").asString(""))
                .put("controller", true);
        job.set("spec", cron.at("/spec/jobTemplate/spec"));
        apply(NAMESPACE, job.toString());
        for (String app : List.of("qwen", "set", "agent", "once", "nightly")) {
            await(app + " to have a pod")
                    .atMost(PATIENCE)
                    .until(() -> !pods(app).isEmpty());
        }
    }

    @AfterAll
    void remove() throws Exception {
        kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
        if (installation != null) {
            installation.close();
        }
    }

    @Test
    void podsOfThisVersionAndSettingsAreTheSameForEveryKind() throws Exception {
        Run run = awaitPods("-n", NAMESPACE);
        assertThat(run.code()).as(run.toString()).isZero();
        Map<String, String> verdicts = verdicts(run);
        assertThat(verdicts)
                .hasSize(WITH_PODS.size() + 1)
                .containsEntry("deployment/idle", "no-pod")
                .doesNotContainKey("job/nightly-1");
        WITH_PODS.forEach(name -> assertThat(verdicts).containsEntry(name, "same"));
        Run table = plainsail("-n", NAMESPACE);
        assertThat(table.out())
                .startsWith("NAMESPACE   WORKLOAD")
                .containsPattern("live +deployment/idle +0 +no pod yet\n")
                .containsPattern("live +deployment/qwen +1 +same\n")
                .doesNotContain("not-ours");
        assertThat(table.code()).isZero();
    }

    @Test
    void otherSettingsNameWhatWouldDiffer() throws Exception {
        awaitPods("-n", NAMESPACE);
        Path config = folder.resolve("next.yaml");
        Files.writeString(config, "injection: {driver-directories: [/opt/drivers], grace: 10m}\n");
        Run run = plainsail("-n", NAMESPACE, "--config", config.toString());
        assertThat(run.code()).isEqualTo(1);
        for (String name : WITH_PODS) {
            assertThat(run.out()).containsPattern("live +" + name + " +[1-9] +would differ +env: LIBRARY_PATH\n");
        }
        assertThat(run.out())
                .contains("fill: terminationGracePeriodSeconds\n")
                .containsPattern("idle +0 +no pod yet\n");
    }

    @Test
    void everyPageIsRead() throws Exception {
        // Controllers may go on between two runs, and then they see different pods: until they have come to rest.
        await().untilAsserted(() -> {
            Run all = awaitPods("-n", NAMESPACE);
            Run pages = plainsail("-n", NAMESPACE, "-o", "json", "--chunk-size=1");
            assertThat(pages).isEqualTo(all);
        });
    }

    @Test
    void whatAdmissionRefusesNowExitsWithTwo() throws Exception {
        String namespace = "live-unseen";
        // With its label from the start: the API server may for a moment not have noticed one that comes later.
        TestNamespaces.create(client, namespace, Map.of("plainsail.dev/injection", "disabled"));
        try {
            apply(
                    namespace,
                    workload("apps/v1", "Deployment", "wrong", "replicas: 0, ").replace("gpu.nvidia.com", "GPU!"));
            Run run = plainsail("-n", namespace);
            assertThat(run.code()).isEqualTo(2);
            assertThat(run.out())
                    .containsPattern(
                            "wrong +0 +would be refused +spec.template.metadata.annotations\\[plainsail.dev/devices\\]: ");
            assertThat(plainsail("-A").out()).contains("live-unseen", "deployment/qwen");
        } finally {
            kubectl.run("delete", "namespace", namespace, "--wait=false");
        }
        Run none = plainsail("-n", "live-nowhere");
        assertThat(none).isEqualTo(new Run(0, "", "No annotated workloads found in namespace live-nowhere.\n"));
    }

    @Test
    void viewersMayAskAndOthersLearnWhatIsMissing() throws Exception {
        kubectl.run("-n", NAMESPACE, "create", "serviceaccount", "viewer");
        kubectl.run("-n", NAMESPACE, "create", "serviceaccount", "stranger");
        kubectl.run(
                "-n",
                NAMESPACE,
                "create",
                "rolebinding",
                "viewer",
                "--clusterrole=view",
                "--serviceaccount=live:viewer");
        // Where the API of LeaderWorkerSets is served, seeing them is a right of its own.
        apply(NAMESPACE, """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: Role
                metadata: {name: groups}
                rules: [{apiGroups: [leaderworkerset.x-k8s.io], resources: [leaderworkersets], verbs: [list]}]
                """);
        kubectl.run(
                "-n", NAMESPACE, "create", "rolebinding", "groups", "--role=groups", "--serviceaccount=live:viewer");
        awaitPods("-n", NAMESPACE);
        Run viewer = run(kubeconfig("viewer"), "-n", NAMESPACE);
        assertThat(viewer.err()).isEmpty();
        assertThat(viewer.code()).isZero();
        assertThat(viewer.out()).containsPattern("deployment/qwen +1 +same");
        Run stranger = run(kubeconfig("stranger"), "-n", NAMESPACE);
        assertThat(stranger.code()).isEqualTo(2);
        assertThat(stranger.out()).isEmpty();
        assertThat(stranger.err())
                .startsWith(
                        "plainsail: this user may not list deployments.apps in namespace live; may not list statefulsets.apps")
                .endsWith("which the ClusterRole view has\n");
        Run everywhere = run(kubeconfig("viewer"), "-A");
        assertThat(everywhere.err()).contains("may not list deployments.apps in all namespaces");
    }

    @Test
    void wrongContextsAndDeadServersAreSaidInOneLine() throws Exception {
        Run context = plainsail("--context", "nobody");
        assertThat(context.code()).isEqualTo(2);
        assertThat(context.err())
                .startsWith("plainsail: --context: there is no context \"nobody\" in ")
                .hasLineCount(1);
        Path dead = folder.resolve("dead.yaml");
        ObjectNode tree = (ObjectNode) Shapes.YAML.readTree(Files.readString(cluster.kubeconfig()));
        ((ObjectNode) tree.at("/clusters/0/cluster")).put("server", "https://127.0.0.1:1");
        Files.writeString(dead, Shapes.YAML.writeValueAsString(tree));
        Run unreachable = run(dead, "-n", NAMESPACE);
        assertThat(unreachable.code()).isEqualTo(2);
        assertThat(unreachable.err())
                .startsWith("plainsail: the API server at https://127.0.0.1:1/ does not answer: ")
                .hasLineCount(1);
        Files.writeString(dead, "clusters: [{");
        Run broken = run(dead);
        assertThat(broken.code()).isEqualTo(2);
        assertThat(broken.err())
                .startsWith("plainsail: the kubeconfig " + dead + " cannot be read: ")
                .hasLineCount(1);
    }

    /** Runs it until each controller has told the API server which pods are current. */
    private Run awaitPods(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("-o", "json"));
        return await("a pod of every workload")
                .atMost(PATIENCE)
                .until(() -> plainsail(all.toArray(String[]::new)), run -> {
                    Map<String, String> verdicts = run.out().isEmpty() ? Map.of() : verdicts(run);
                    return WITH_PODS.stream()
                            .noneMatch(name ->
                                    verdicts.getOrDefault(name, "no-pod").equals("no-pod"));
                });
    }

    private static Map<String, String> verdicts(Run run) {
        Map<String, String> result = new TreeMap<>();
        json(run.out())
                .path("workloads")
                .forEach(workload -> result.put(
                        workload.path("kind").asString("").toLowerCase(java.util.Locale.ROOT) + "/"
                                + workload.path("name").asString(""),
                        workload.path("verdict").asString("")));
        return result;
    }

    private Run plainsail(String... arguments) throws IOException, InterruptedException {
        return run(cluster.kubeconfig(), arguments);
    }

    private Run run(Path kubeconfig, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Checkout.find().programs("webhook").resolve("plainsail").toString(), "diff", "--live"));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("KUBECONFIG", kubeconfig.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IllegalStateException("it goes on: " + command);
        }
        return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** The administrator's, with a ServiceAccount's token in place of the administrator. */
    private Path kubeconfig(String account) throws IOException, InterruptedException {
        ObjectNode tree = (ObjectNode) Shapes.YAML.readTree(Files.readString(cluster.kubeconfig()));
        ((ObjectNode) tree.at("/users/0"))
                .putObject("user")
                .put(
                        "token",
                        kubectl.run("-n", NAMESPACE, "create", "token", account).strip());
        Path file = folder.resolve(account + ".yaml");
        Files.write(file, Shapes.YAML.writeValueAsString(tree).getBytes(StandardCharsets.UTF_8));
        return file;
    }

    private void apply(String namespace, String yaml) throws IOException, InterruptedException {
        Kubectl.Result result = kubectl.tryRun(yaml, "-n", namespace, "apply", "-f", "-");
        assertThat(result.exitCode()).as(result.errors()).isZero();
    }

    private List<Pod> pods(String app) {
        return client.pods().inNamespace(NAMESPACE).withLabel("app", app).list().getItems();
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }

    private static String workload(String version, String kind, String name, String fields) {
        return """
                {apiVersion: %s, kind: %s, metadata: {name: %s}, spec: {%sselector: {matchLabels: {app: %s}}, template: %s}}
                """.formatted(version, kind, name, fields, name, template(name, ""));
    }

    /** Stands for an engine: what is injected does not depend on what runs. */
    private static String template(String name, String fields) {
        return """
                {metadata: {labels: {app: %s}, annotations: {plainsail.dev/devices: gpu.nvidia.com, plainsail.dev/fill: grace}},
                 spec: {%scontainers: [{name: engine, image: registry.example/engine:1, command: [sleep, "600"],
                  env: [{name: LIBRARY_PATH, value: /own}]}]}}""".formatted(name, fields);
    }
}
