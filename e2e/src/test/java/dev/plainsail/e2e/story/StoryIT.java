package dev.plainsail.e2e.story;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.Told;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.envoy.EnvoyBinary;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DeploymentSpec;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The demo's story with an assertion for each piece of evidence: a plain Deployment, one annotation, a claim, the engine's real
 * command line, routed requests, and what happens when parts die. Each chapter goes on where the last one ended.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class StoryIT {
    private static final String MODEL = "Qwen/Qwen3-0.6B";
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final LocalCluster cluster;
    private final Checkout checkout = Checkout.find();
    private final Deployed vllm;
    private Installation installation;
    private DeploymentSpec before = new DeploymentSpec();

    StoryIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.vllm = new Deployed(cluster, "default", "vllm");
    }

    @BeforeAll
    void start() throws Exception {
        Cache cache = Cache.of(System.getenv(), Progress.console());
        Installation.addImages(
                cluster, checkout, EnvoyBinary.get(cache, System.getenv()), checkout.simulatedEngine(), Map.of());
        run("create", "deployment", "early", "--image=vllm/vllm-openai:v0.32.0", "--", "vllm", "serve", MODEL);
        run("annotate", "deployment", "early", "plainsail.dev/pool=early");
        installation = Installation.apply(cluster, checkout);
    }

    @AfterAll
    void stop() throws Exception {
        run("delete", "deployments", "--all", "-n", "default", "--cascade=foreground", "--timeout=120s");
        if (installation != null) {
            installation.close();
        }
    }

    @Test
    @Order(1)
    void deploymentAnnotatedBeforeTheInstallThenScaledKeepsOneReplicaSet() throws Exception {
        Deployed early = new Deployed(cluster, "default", "early");
        run("scale", "deployment", "early", "--replicas=2");
        early.awaitRolledOut();
        // The scale subresource is not looked at, so nothing was copied and nothing rolled.
        assertThat(early.replicaSets()).hasSize(1);
        run("delete", "deployment", "early", "--wait=false");
    }

    @Test
    @Order(2)
    void plainDeploymentRunsAsItWasWritten() throws Exception {
        cluster.apply(checkout.manifests("example/deployment.yaml"));
        vllm.awaitRolledOut();
        before = vllm.object().getSpec();
        assertThat(vllm.pods()).hasSize(2).allSatisfy(pod -> {
            assertThat(vllm.claims(pod)).isEmpty();
            assertThat(engine(pod).environment()).doesNotContainKey("LIBRARY_PATH");
            assertThat(engine(pod).engineWords()).doesNotContain("--tensor-parallel-size");
        });
    }

    @Test
    @Order(3)
    void annotationGivesEachPodAnAllocatedClaimAndTheEngineItsFlags() throws Exception {
        run(
                "annotate",
                "deployment",
                "vllm",
                "plainsail.dev/devices=gpu=gpu.nvidia.com x2 where"
                        + " device.capacity[\"gpu.nvidia.com\"].memory.isGreaterThan(quantity(\"40Gi\"))",
                "plainsail.dev/parallelism=tensor=2",
                "plainsail.dev/pool=chat");
        vllm.awaitRolledOut();
        Set<String> allocated = new TreeSet<>();
        for (Pod pod : vllm.pods()) {
            List<ResourceClaim> claims = vllm.claims(pod);
            assertThat(claims).hasSize(1);
            assertThat(Deployed.isReservedFor(claims.getFirst(), pod)).isTrue();
            assertThat(Deployed.devices(claims.getFirst())).hasSize(2).allMatch(d -> d.startsWith("gpu.nvidia.com/"));
            allocated.addAll(Deployed.devices(claims.getFirst()));
            RunningContainer engine = engine(pod);
            assertThat(engine.engineWords())
                    .startsWith("vllm", "serve", MODEL, "--port=8000")
                    .containsSequence("--tensor-parallel-size", "2");
            assertThat(engine.environment().get("LIBRARY_PATH"))
                    .startsWith("/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:")
                    .doesNotContain("::")
                    .doesNotEndWith(":");
            assertThat(pod.getMetadata().getLabels()).containsEntry("plainsail.dev/pool", "chat");
        }
        assertThat(allocated).as("devices, each given once").hasSize(4);
    }

    @Test
    @Order(4)
    void deploymentsSpecIsTheUsersButForCopiedAnnotations() {
        DeploymentSpec after = vllm.object().getSpec();
        Map<String, String> annotations =
                new HashMap<>(after.getTemplate().getMetadata().getAnnotations());
        assertThat(annotations)
                .containsOnlyKeys(
                        "plainsail.dev/devices",
                        "plainsail.dev/parallelism",
                        "plainsail.dev/pool",
                        "plainsail.dev/copied");
        after.getTemplate()
                .getMetadata()
                .setAnnotations(before.getTemplate().getMetadata().getAnnotations());
        assertThat(after).isEqualTo(before);
        List<ReplicaSet> sets = vllm.replicaSets();
        assertThat(sets).as("the old and the new one").hasSize(2);
        assertThat(sets.stream().filter(set -> set.getSpec().getReplicas() > 0)).hasSize(1);
    }

    @Test
    @Order(5)
    void mistakesAreRefusedAllAtOnceAsKubectlPrintsThem() throws Exception {
        Kubectl.Result refused = cluster.kubectl()
                .tryRun(
                        "",
                        "annotate",
                        "deployment",
                        "vllm",
                        "--overwrite",
                        "plainsail.dev/devices=gpu.nvidia.com X4",
                        "plainsail.dev/parallelism=tensr=2");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.errors())
                .startsWith("The Deployment \"vllm\" is invalid:")
                .contains("metadata.annotations[plainsail.dev/devices]: Invalid value: \"X4\"")
                .contains("metadata.annotations[plainsail.dev/parallelism]: Invalid value: \"tensr=2\"")
                .contains("did you mean tensor?");
        assertThat(vllm.replicaSets()).hasSize(2);
    }

    @Test
    @Order(6)
    void samePromptSticksAndTheAnswerSaysWhoServedIt() throws Exception {
        Gateway gateway = installation.gateway();
        awaitServed(gateway);
        Set<String> endpoints = new TreeSet<>();
        vllm.pods().forEach(pod -> endpoints.add(pod.getStatus().getPodIP() + ":8000"));
        Set<String> used = new TreeSet<>();
        for (String topic : List.of("tides", "bridges", "lichens", "clocks", "looms", "harps", "ferns", "salt")) {
            Set<String> served = new TreeSet<>();
            for (int i = 0; i < 4; i++) {
                Gateway.Answer answer = gateway.chat(MODEL, prompt(topic), 4, i % 2 == 1);
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.whole()).isTrue();
                served.add(answer.servedBy());
            }
            assertThat(served).as("replicas that served '%s'", topic).hasSize(1);
            used.addAll(served);
        }
        // Ties between idle replicas fall by chance; so as many prompts as it takes for both, of which 64 are too many.
        for (int i = 0; i < 64 && used.size() < 2; i++) {
            used.add(gateway.chat(MODEL, prompt("number " + i), 1, false).servedBy());
        }
        assertThat(used).isSubsetOf(endpoints).hasSizeGreaterThan(1);
        assertThat(gateway.counter("spurious_msgs_received")).isZero();
    }

    @Test
    @Order(7)
    void killedPickerCutsNoRunningAnswer() throws Exception {
        Gateway gateway = installation.gateway();
        CompletableFuture<Gateway.Answer> streamed = gateway.startChat(MODEL, prompt("rivers"), 1000, true);
        CompletableFuture<Gateway.Answer> whole = gateway.startChat(MODEL, prompt("deserts"), 1000, false);
        await("both to have an engine").pollInterval(Duration.ofMillis(50)).until(() -> running() == 2);
        assertThat(streamed).isNotDone();
        assertThat(whole).isNotDone();
        RunningContainer.of(installation.pod("plainsail-epp"), "epp").kill();
        assertThat(streamed.get().status()).isEqualTo(200);
        assertThat(streamed.get().whole()).as("the stream's end mark").isTrue();
        assertThat(whole.get().status()).isEqualTo(200);
        assertThat(whole.get().whole()).as("the JSON value").isTrue();
        installation.awaitAvailable("plainsail-epp");
        awaitServed(gateway);
    }

    @Test
    @Order(8)
    void withoutTheWebhookPlainPodsStartAndAnnotatedOnesWaitWithTheReason() throws Exception {
        run("scale", "deployment/plainsail-webhook", "-n", Installation.NAMESPACE, "--replicas=0");
        await().atMost(PATIENCE)
                .until(() -> cluster.client()
                        .pods()
                        .inNamespace(Installation.NAMESPACE)
                        .withLabel("app.kubernetes.io/name", "plainsail-webhook")
                        .list()
                        .getItems()
                        .isEmpty());
        run("create", "deployment", "plain", "--image=vllm/vllm-openai:v0.32.0", "--", "vllm", "serve", MODEL);
        new Deployed(cluster, "default", "plain").awaitRolledOut();
        run("delete", "deployment", "plain", "--wait=false");

        Pod victim = vllm.pods().getFirst();
        run("delete", "pod", victim.getMetadata().getName(), "--wait=false");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(run("get", "events", "--field-selector=reason=FailedCreate"))
                        .contains("mutate.plainsail.dev"));
        run("scale", "deployment/plainsail-webhook", "-n", Installation.NAMESPACE, "--replicas=1");
        installation.awaitAvailable("plainsail-webhook");
        await().atMost(PATIENCE)
                .until(() -> vllm.pods().stream()
                                .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                                .count()
                        == 2);
        assertThat(vllm.pods()).allSatisfy(pod -> assertThat(vllm.claims(pod)).hasSize(1));
    }

    @Test
    @Order(9)
    void withoutAnEndpointTheAnswerIs503InOpenAiShape() throws Exception {
        run("scale", "deployment", "vllm", "--replicas=0");
        await().atMost(PATIENCE).until(() -> vllm.pods().isEmpty());
        Gateway gateway = installation.gateway();
        Gateway.Answer answer =
                await().until(() -> gateway.chat(MODEL, "hello", 1, false), said -> said.status() == 503);
        assertThat(answer.body()).contains("\"error\"").contains("\"message\"").contains("\"type\"");
        await().atMost(PATIENCE)
                .until(() -> cluster.client()
                        .resources(ResourceClaim.class)
                        .inNamespace("default")
                        .list()
                        .getItems()
                        .isEmpty());
    }

    /** Requests that the engines are at, by their own count. */
    private double running() throws IOException {
        double sum = 0;
        for (Pod pod : vllm.pods()) {
            URI metrics = URI.create("http://" + pod.getStatus().getPodIP() + ":8000/metrics");
            try (InputStream in = metrics.toURL().openStream()) {
                sum += Told.sum(new String(in.readAllBytes(), StandardCharsets.UTF_8), "vllm:num_requests_running");
            }
        }
        return sum;
    }

    private RunningContainer engine(Pod pod) throws IOException {
        return RunningContainer.of(pod, "vllm");
    }

    private static void awaitServed(Gateway gateway) {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> gateway.chat(MODEL, "hello", 1, false).status() == 200);
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        return cluster.kubectl().run(arguments);
    }

    private static String prompt(String topic) {
        return ("Tell me all there is to know about " + topic + ", and do not leave out what others leave out. ")
                .repeat(30);
    }
}
