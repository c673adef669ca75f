package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.story.Installation;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The real webhook, installed from the shipped manifests with its own RBAC, called by the real API server through its Service;
 * claims made and allocated by the real controllers and scheduler.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InstalledWebhookIT {
    private static final String NAMESPACE = "team-a";
    private static final String EARLY = "early";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final LocalCluster cluster;
    private final KubernetesClient client;
    private final Kubectl kubectl;
    private @Nullable Installation installation;

    InstalledWebhookIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.kubectl = cluster.kubectl();
    }

    @BeforeAll
    void install() throws Exception {
        kubectl.run("create", "namespace", NAMESPACE);
        apply(engine(EARLY, 0));
        kubectl.run("-n", NAMESPACE, "annotate", "deployment", EARLY, "plainsail.dev/devices=gpu.nvidia.com");
        installation = Installation.webhookOnly(cluster, Checkout.find());
    }

    @AfterAll
    void remove() throws Exception {
        kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
        if (installation != null) {
            installation.close();
        }
    }

    @Test
    void oneAnnotationGivesEachPodAnAllocatedClaim() throws Exception {
        apply(engine("one", 1));
        awaitRunning("one", 1);
        kubectl.run("-n", NAMESPACE, "annotate", "deployment", "one", "plainsail.dev/devices=gpu.nvidia.com");
        await("the new pod to hold its device")
                .atMost(PATIENCE)
                .until(() -> pods("one").stream()
                        .anyMatch(pod -> isRunning(pod)
                                && !pod.getSpec().getResourceClaims().isEmpty()));
        Pod pod = pods("one").stream()
                .filter(one -> !one.getSpec().getResourceClaims().isEmpty())
                .findFirst()
                .orElseThrow();
        String template = pod.getMetadata().getLabels().get("plainsail.dev/claim-template");
        assertThat(pod.getSpec().getResourceClaims()).singleElement().satisfies(entry -> {
            assertThat(entry.getName()).isEqualTo("plainsail");
            assertThat(entry.getResourceClaimTemplateName()).isEqualTo(template);
        });
        ResourceClaim claim = client.dynamicResourceAllocation()
                .v1()
                .resourceClaims()
                .inNamespace(NAMESPACE)
                .withName(pod.getStatus().getResourceClaimStatuses().getFirst().getResourceClaimName())
                .get();
        assertThat(claim.getStatus().getAllocation().getDevices().getResults())
                .singleElement()
                .satisfies(result -> assertThat(result.getDriver()).isEqualTo("gpu.nvidia.com"));
        assertThat(claim.getStatus().getReservedFor())
                .singleElement()
                .satisfies(user ->
                        assertThat(user.getUid()).isEqualTo(pod.getMetadata().getUid()));
        assertThat(claim.getMetadata().getLabels())
                .containsEntry("app.kubernetes.io/managed-by", "plainsail")
                .containsEntry("plainsail.dev/claim-template", template);
    }

    @Test
    void mistakesAreRefusedAllAtOnceInKubectlsWords() throws Exception {
        Kubectl.Result refused = kubectl.tryRun(
                engine("wrong", 1)
                        .replace(
                                "name: wrong\n",
                                "name: wrong\n  annotations: {plainsail.dev/devises: a, plainsail.dev/parallelism: tensor=x}\n"),
                "create",
                "-f",
                "-");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.errors())
                .startsWith("The Deployment \"wrong\" is invalid:")
                .contains("metadata.annotations[plainsail.dev/devises]")
                .contains("plainsail.dev/devices")
                .contains("metadata.annotations[plainsail.dev/parallelism]");
    }

    @Test
    void deploymentAnnotatedBeforeTheInstallKeepsOneReplicaSet() throws Exception {
        kubectl.run("-n", NAMESPACE, "scale", "deployment", EARLY, "--replicas=1");
        awaitRunning(EARLY, 1);
        kubectl.run("-n", NAMESPACE, "scale", "deployment", EARLY, "--replicas=0");
        await().atMost(PATIENCE).until(() -> pods(EARLY).isEmpty());
        assertThat(client.apps()
                        .replicaSets()
                        .inNamespace(NAMESPACE)
                        .withLabel("app", EARLY)
                        .list()
                        .getItems())
                .hasSize(1);
    }

    @Test
    void withoutTheWebhookOnlyAnnotatedPodsWait() throws Exception {
        apply(engine("later", 0)
                .replace("name: later\n", "name: later\n  annotations: {plainsail.dev/devices: gpu.nvidia.com}\n"));
        installation.webhooks(0);
        try {
            apply(engine("plain", 1));
            awaitRunning("plain", 1);
            kubectl.run("-n", NAMESPACE, "scale", "deployment", "later", "--replicas=1");
            await("an event that says why")
                    .atMost(PATIENCE)
                    .until(() -> kubectl.run(
                                    "-n",
                                    NAMESPACE,
                                    "get",
                                    "events",
                                    "--field-selector",
                                    "reason=FailedCreate",
                                    "-o",
                                    "jsonpath={.items[*].message}")
                            .contains("failed calling webhook \"mutate.plainsail.dev\""));
            assertThat(pods("later")).isEmpty();
            kubectl.run("-n", NAMESPACE, "delete", "deployment", "plain", "--wait=false");
        } finally {
            installation.webhooks(1);
        }
        awaitRunning("later", 1);
        assertThat(pods("later").getFirst().getSpec().getResourceClaims()).hasSize(1);
        kubectl.run("-n", NAMESPACE, "delete", "deployment", "later");
    }

    /** Case WH-09. */
    @Test
    void wh09DryRunShowsWhatWillBeAndWritesNothing() throws Exception {
        String pod = """
                apiVersion: v1
                kind: Pod
                metadata: {name: shown, annotations: {plainsail.dev/devices: gpu.nvidia.com x2}}
                spec: {automountServiceAccountToken: false, containers: [{name: engine, image: registry.example/engine:1}]}
                """;
        Pod shown = client.getKubernetesSerialization()
                .unmarshal(create(pod, "--dry-run=server", "-o", "json").output(), Pod.class);
        String template = shown.getSpec().getResourceClaims().getFirst().getResourceClaimTemplateName();
        assertThat(kubectl.run("-n", NAMESPACE, "get", "resourceclaimtemplates", "-o", "name"))
                .doesNotContain(template);

        Pod made = client.getKubernetesSerialization()
                .unmarshal(create(pod, "-o", "json").output(), Pod.class);
        assertThat(made.getSpec()).isEqualTo(shown.getSpec());
        assertThat(made.getMetadata().getAnnotations())
                .isEqualTo(shown.getMetadata().getAnnotations());

        String deployment = engine("same", 0)
                .replace("name: same\n", "name: same\n  annotations: {plainsail.dev/devices: a.example}\n");
        apply(deployment);
        Kubectl.Result difference = kubectl.tryRun(deployment, "-n", NAMESPACE, "diff", "-f", "-");
        assertThat(difference.exitCode()).as(difference.output()).isZero();
        kubectl.run("-n", NAMESPACE, "delete", "pod", "shown", "--wait=false");
    }

    private Kubectl.Result create(String yaml, String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("-n", NAMESPACE, "create", "-f", "-"));
        arguments.addAll(List.of(options));
        Kubectl.Result result = kubectl.tryRun(yaml, arguments.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.errors()).isZero();
        return result;
    }

    private void apply(String yaml) throws IOException, InterruptedException {
        Kubectl.Result result = kubectl.tryRun(yaml, "-n", NAMESPACE, "apply", "-f", "-");
        assertThat(result.exitCode()).as(result.errors()).isZero();
    }

    private List<Pod> pods(String app) {
        return client.pods().inNamespace(NAMESPACE).withLabel("app", app).list().getItems();
    }

    private static boolean isRunning(Pod pod) {
        return pod.getStatus() != null
                && "Running".equals(pod.getStatus().getPhase())
                && pod.getMetadata().getDeletionTimestamp() == null;
    }

    private void awaitRunning(String app, int number) {
        await(app + " to run")
                .atMost(PATIENCE)
                .until(() ->
                        pods(app).stream().filter(InstalledWebhookIT::isRunning).count() == number);
    }

    /** Stands for an engine: admission and scheduling do not look at what runs. */
    private static String engine(String name, int replicas) {
        return """
                apiVersion: apps/v1
                kind: Deployment
                metadata:
                  name: %1$s
                spec:
                  replicas: %2$d
                  selector: {matchLabels: {app: %1$s}}
                  template:
                    metadata: {labels: {app: %1$s}}
                    spec:
                      terminationGracePeriodSeconds: 1
                      containers:
                      - name: engine
                        image: registry.example/engine:1
                        command: [sleep, "600"]
                """.formatted(name, replicas);
    }
}
