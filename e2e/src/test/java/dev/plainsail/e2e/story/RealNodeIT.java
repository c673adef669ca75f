package dev.plainsail.e2e.story;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.envoy.EnvoyBinary;
import dev.plainsail.e2e.process.Trees;
import dev.plainsail.e2e.realnode.Unavailable;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.opentest4j.TestAbortedException;

/**
 * Plainsail as its users have it: our images in containerd, the manifests with cert-manager, a driver with two devices, and a
 * kubelet that runs it all. Where this machine cannot have a node, one line says why and nothing is tried; set {@code
 * PLAINSAIL_NODE=required} to make that a failure. Each chapter goes on where the last one ended.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class RealNodeIT {
    private static final String MODEL = "Qwen/Qwen3-0.6B";
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int DEVICES = 2;

    private Path work;
    private LocalCluster cluster;
    private Checkout checkout;
    private Installation installation;
    private Deployed vllm;

    @BeforeAll
    void start() throws Exception {
        checkout = Checkout.find();
        Cache cache = Cache.of(System.getenv(), Progress.console());
        work = Files.createTempDirectory("plainsail-images-");
        try {
            if (!NodeParts.imagesAreBuilt(checkout)) {
                throw new Unavailable("the images are not built here: mvn -DskipTests -Pimages package");
            }
            cluster = LocalCluster.startWithNode(System.getenv(), System.err::println);
            NodeParts parts = new NodeParts(cluster, cache, System.getenv(), work);
            parts.installDriver(DEVICES);
            parts.installCertManager();
            parts.loadEnvoy(EnvoyBinary.get(cache, System.getenv()));
            parts.loadEngine(checkout);
            parts.loadProduct(checkout);
        } catch (Unavailable e) {
            if ("required".equals(System.getenv("PLAINSAIL_NODE"))) {
                throw e;
            }
            System.err.println("RealNodeIT is skipped: " + e.getMessage());
            throw new TestAbortedException(String.valueOf(e.getMessage()));
        }
        installation = Installation.on(cluster);
        vllm = new Deployed(cluster, "default", "vllm");
    }

    @AfterAll
    void stop() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
        Trees.delete(work);
    }

    @Test
    @Order(1)
    void installsWithCertManagerFromImagesAndManifests() throws Exception {
        long began = System.nanoTime();
        Installation.apply(
                cluster, checkout.manifests("overlays/cert-manager"), checkout.manifests("envoy/standalone"));
        System.out.printf("Installed on a real node after %s.%n", Progress.elapsed(since(began)));
        for (String program : List.of("plainsail-webhook", "plainsail-epp", "plainsail-envoy")) {
            Pod pod = installation.pod(program);
            System.out.printf("%s was ready %s after its start.%n", program, Progress.elapsed(startTime(pod)));
            ContainerStatus status = pod.getStatus().getContainerStatuses().getFirst();
            assertThat(status.getContainerID()).startsWith("containerd://");
            RunningContainer running = RunningContainer.of(pod, status.getName());
            assertThat(running.words()).isNotEmpty();
            if (!program.equals("plainsail-envoy") && NodeParts.hasStartCache(checkout)) {
                assertThat(Files.readString(Path.of("/proc", Long.toString(running.pid()), "maps")))
                        .as("the cache that the image brings is mapped")
                        .contains("/opt/plainsail/lib/app/plainsail.aot");
            }
        }
        assertThat(run("get", "secrets", "-n", Installation.NAMESPACE, "-o", "name"))
                .contains("secret/plainsail-webhook-tls")
                .doesNotContain("secret/plainsail-webhook-authority");
    }

    @Test
    @Order(2)
    void plainDeploymentRunsAndOneCommandGivesItsPodsDevices() throws Exception {
        cluster.apply(checkout.manifests("example/deployment.yaml"));
        vllm.awaitRolledOut();
        assertThat(vllm.pods())
                .hasSize(2)
                .allSatisfy(pod -> assertThat(engine(pod).environment().keySet())
                        .noneMatch(name -> name.startsWith("GPU_DEVICE_")));
        run("annotate", "deployment", "vllm", "plainsail.dev/devices=gpu.nvidia.com", "plainsail.dev/pool=vllm");
        vllm.awaitRolledOut();
        Set<String> devices = new TreeSet<>();
        for (Pod pod : vllm.pods()) {
            RunningContainer engine = engine(pod);
            List<ResourceClaim> claims = vllm.claims(pod);
            assertThat(claims).hasSize(1);
            assertThat(Deployed.isReservedFor(claims.getFirst(), pod)).isTrue();
            devices.addAll(Deployed.devices(claims.getFirst()));
            // What the driver wrote into the container by CDI, read from the kernel.
            assertThat(engine.environment()).anySatisfy((name, value) -> {
                assertThat(name).matches("GPU_DEVICE_\\d+_RESOURCE_CLAIM");
                assertThat(value).isEqualTo(claims.getFirst().getMetadata().getUid());
            });
            assertThat(engine.environment().get("LIBRARY_PATH"))
                    .startsWith("/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:")
                    .doesNotContain("::");
        }
        assertThat(devices).as("each device given once").hasSize(DEVICES);
    }

    @Test
    @Order(3)
    void requestsFlowThroughEnvoyToTheEngines() {
        Gateway gateway = installation.gateway();
        Set<String> endpoints = new TreeSet<>();
        vllm.pods().forEach(pod -> endpoints.add(pod.getStatus().getPodIP() + ":8000"));
        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
            Gateway.Answer answer = gateway.chat(MODEL, "hello", 4, true);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.whole()).isTrue();
            assertThat(answer.servedBy()).isIn(endpoints);
        });
    }

    @Test
    @Order(4)
    void changedClaimRollsToANewTemplate() throws Exception {
        run("scale", "deployment", "vllm", "--replicas=1");
        await().atMost(PATIENCE).until(() -> vllm.pods().size() == 1);
        String before = template(vllm.pods().getFirst());
        run(
                "annotate",
                "deployment",
                "vllm",
                "--overwrite",
                "plainsail.dev/devices=gpu.nvidia.com where device.driver == \"gpu.example.com\"");
        vllm.awaitRolledOut();
        assertThat(vllm.pods()).hasSize(1);
        assertThat(template(vllm.pods().getFirst())).isNotEqualTo(before).startsWith("plainsail-gpu-nvidia-com-");
        assertThat(vllm.claims(vllm.pods().getFirst())).hasSize(1);
    }

    @Test
    @Order(5)
    void thirdReplicaOnTwoDevicesIsPendingAndSaysWhy() throws Exception {
        run("scale", "deployment", "vllm", "--replicas=3");
        await().atMost(PATIENCE).untilAsserted(() -> {
            List<Pod> pods = vllm.pods();
            assertThat(pods).hasSize(3);
            assertThat(pods).filteredOn(RealNodeIT::isReady).hasSize(DEVICES);
            assertThat(pods)
                    .filteredOn(pod -> "Pending".equals(pod.getStatus().getPhase()))
                    .singleElement()
                    .satisfies(pod -> assertThat(pod.getStatus().getConditions())
                            .anySatisfy(condition -> {
                                assertThat(condition.getType()).isEqualTo("PodScheduled");
                                assertThat(condition.getReason()).isEqualTo("Unschedulable");
                                assertThat(condition.getMessage()).contains("cannot allocate all claims");
                            }));
        });
        run("scale", "deployment", "vllm", "--replicas=2");
        await().atMost(PATIENCE).until(() -> vllm.pods().size() == 2 && readyPods() == 2);
    }

    @Test
    @Order(6)
    void drainedEnginesComeBackWithDevices() throws Exception {
        Set<String> before = names(vllm.pods());
        run("drain", "node-1", "--pod-selector=app=vllm", "--ignore-daemonsets", "--timeout=200s");
        await().atMost(PATIENCE)
                .until(() -> vllm.pods().stream()
                        .noneMatch(pod -> before.contains(pod.getMetadata().getName())));
        assertThat(readyPods()).isZero();
        run("uncordon", "node-1");
        await().atMost(PATIENCE).until(() -> readyPods() == 2);
        assertThat(vllm.pods()).allSatisfy(pod -> assertThat(vllm.claims(pod)).hasSize(1));
    }

    @Test
    @Order(7)
    void withoutTheWebhookTheClusterWorksAndAnnotatedPodsWaitWithTheReason() throws Exception {
        run("create", "namespace", "going");
        run(
                "create",
                "deployment",
                "held",
                "-n",
                "going",
                "--image=docker.io/library/busybox:1",
                "--",
                "sleep",
                "9999");
        run("annotate", "deployment", "held", "-n", "going", "plainsail.dev/pool=held");
        run("patch", "deployment", "held", "-n", "going", "--type=merge", "-p", finalizers("[\"example.com/held\"]"));
        scaleWebhook(0);
        run("create", "deployment", "plain", "--image=docker.io/library/busybox:1", "--", "sleep", "9999");
        new Deployed(cluster, "default", "plain").awaitRolledOut();
        run("create", "job", "plain", "--image=docker.io/library/busybox:1", "--", "true");
        run("wait", "--for=condition=Complete", "job/plain", "--timeout=200s");

        run("delete", "deployment", "held", "-n", "going", "--wait=false");
        run("patch", "deployment", "held", "-n", "going", "--type=merge", "-p", finalizers("null"));
        run("wait", "--for=delete", "deployment/held", "-n", "going", "--timeout=200s");
        run("delete", "namespace", "going", "--timeout=200s");

        run("delete", "pod", vllm.pods().getFirst().getMetadata().getName(), "--wait=false");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(run("get", "events", "--field-selector=reason=FailedCreate"))
                        .contains("mutate.plainsail.dev")
                        .contains("plainsail-webhook"));
        scaleWebhook(2);
        await().atMost(PATIENCE).until(() -> readyPods() == 2);
        run("delete", "deployment/plain", "job/plain", "--wait=false");
    }

    @Test
    @Order(8)
    void certificateRenewedByCertManagerIsServedAndNoAdmissionFails() throws Exception {
        String before = run("get", "secret", "plainsail-webhook-tls", "-n", Installation.NAMESPACE, "-o", CERTIFICATE);
        assertThat(served()).allSatisfy(certificate -> assertThat(certificate).isEqualTo(before));
        run(
                "patch",
                "certificate",
                "plainsail-webhook",
                "-n",
                Installation.NAMESPACE,
                "--subresource=status",
                "--type=merge",
                "-p",
                """
                {"status":{"conditions":[{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"by hand",
                 "lastTransitionTime":"%s"}]}}""".formatted(Instant.now().truncatedTo(java.time.temporal.ChronoUnit.SECONDS)));
        Set<String> refused = new HashSet<>();
        await().atMost(PATIENCE).untilAsserted(() -> {
            Kubectl.Result admitted = cluster.kubectl().tryRun(ANNOTATED_POD, "create", "--dry-run=server", "-f", "-");
            if (admitted.exitCode() != 0) {
                refused.add(admitted.errors());
            }
            String now = run("get", "secret", "plainsail-webhook-tls", "-n", Installation.NAMESPACE, "-o", CERTIFICATE);
            assertThat(now).isNotEqualTo(before);
            assertThat(served())
                    .hasSize(2)
                    .allSatisfy(certificate -> assertThat(certificate).isEqualTo(now));
        });
        assertThat(refused).isEmpty();
    }

    @Test
    @Order(9)
    void removedAsTheReadmeSaysNothingIsLeft() throws Exception {
        run("delete", "deployment", "vllm", "--timeout=200s");
        await().atMost(PATIENCE).until(() -> run("get", "pods", "-o", "name").isBlank());
        // The commands of manifests/README.md.
        run("delete", "mutatingwebhookconfiguration", "plainsail");
        run(
                "delete",
                "--wait=false",
                "-k",
                checkout.manifests("envoy/standalone").toString());
        // Envoy waits two minutes for running answers; there are none.
        run(
                "delete",
                "pods",
                "-n",
                Installation.NAMESPACE,
                "-l",
                "app.kubernetes.io/name=plainsail-envoy",
                "--grace-period=1");
        run(
                "delete",
                "--ignore-not-found",
                "--timeout=200s",
                "-k",
                checkout.manifests("overlays/cert-manager").toString());
        run("delete", "resourceclaimtemplates", "-A", "-l", "app.kubernetes.io/managed-by=plainsail");
        String kinds = String.join(
                ",",
                run("api-resources", "--verbs=list", "-o", "name")
                        .lines()
                        .filter(kind -> !kind.startsWith("events"))
                        .toList());
        assertThat(run("get", kinds, "-A", "-o", "name", "--ignore-not-found").lines())
                .noneMatch(name -> name.contains("plainsail"));
        run("create", "deployment", "after", "--image=docker.io/library/busybox:1", "--", "sleep", "9999");
        new Deployed(cluster, "default", "after").awaitRolledOut();
    }

    private static final String CERTIFICATE = "jsonpath={.data.tls\\.crt}";
    private static final String ANNOTATED_POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: asked, namespace: default, annotations: {plainsail.dev/devices: gpu.nvidia.com}}
            spec: {containers: [{name: vllm, image: "vllm/vllm-openai:v0.32.0", command: [vllm, serve, m]}]}
            """;

    /** What each of the webhook's replicas serves, in the form in which the Secret holds it. */
    private List<String> served() {
        return installation.pods("plainsail-webhook").stream()
                .map(pod -> ServedCertificate.of(cluster.reach(pod.getStatus().getPodIP(), 8443)))
                .toList();
    }

    private void scaleWebhook(int replicas) throws IOException, InterruptedException {
        run("scale", "deployment/plainsail-webhook", "-n", Installation.NAMESPACE, "--replicas=" + replicas);
        await().atMost(PATIENCE)
                .until(() -> installation.pods("plainsail-webhook").size() == replicas);
        if (replicas > 0) {
            installation.awaitAvailable("plainsail-webhook");
        }
    }

    private long readyPods() {
        return vllm.pods().stream().filter(RealNodeIT::isReady).count();
    }

    private static boolean isReady(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }

    private static Duration startTime(Pod pod) {
        String started = pod.getStatus()
                .getContainerStatuses()
                .getFirst()
                .getState()
                .getRunning()
                .getStartedAt();
        String ready = pod.getStatus().getConditions().stream()
                .filter(condition -> condition.getType().equals("Ready"))
                .findFirst()
                .orElseThrow()
                .getLastTransitionTime();
        return Duration.between(Instant.parse(started), Instant.parse(ready));
    }

    private static String template(Pod pod) {
        return pod.getMetadata().getLabels().getOrDefault("plainsail.dev/claim-template", "");
    }

    private static Set<String> names(List<Pod> pods) {
        Set<String> names = new TreeSet<>();
        pods.forEach(pod -> names.add(pod.getMetadata().getName()));
        return names;
    }

    private static String finalizers(String json) {
        return "{\"metadata\":{\"finalizers\":" + json + "}}";
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private RunningContainer engine(Pod pod) throws IOException {
        return RunningContainer.of(pod, "vllm");
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        return cluster.kubectl().run(arguments);
    }
}
