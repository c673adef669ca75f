package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.node.Image;
import dev.plainsail.e2e.story.Deployed;
import dev.plainsail.e2e.story.RunningContainer;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.core.ConditionTimeoutException;

/** One workload of any kind whose pods run {@code vllm serve} from an image of their own, and what is expected of those pods. */
record EngineWorkload(LocalCluster cluster, String namespace, String kind, String name) {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** Known by its last two parts as vLLM's image, whose entrypoint is {@code vllm serve}. */
    static final String IMAGE = "mirror.test.invalid/vllm/vllm-openai:v0.32.0";
    /** Grace is short, because the stand-in ends at once. */
    static final String POD =
            "terminationGracePeriodSeconds: 5, containers: [{name: engine, image: '" + IMAGE + "', args: [tiny]}]";

    private static final String FOLDERS = "/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:";

    /** Over how many devices. */
    enum Spread {
        ONE(1),
        TWO(2);

        private final int devices;

        Spread(int devices) {
            this.devices = devices;
        }

        int devices() {
            return devices;
        }

        String parallelism() {
            return "tensor=" + devices();
        }
    }

    /** The stand-in does nothing but run with the words that it was given. */
    static void addImage(LocalCluster cluster, Path folder) throws IOException {
        Path program = folder.resolve("vllm");
        Files.writeString(program, """
                #!/bin/sh
                sleep 3600 & child=$!
                trap 'kill $child; exit 0' TERM
                wait $child
                """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        cluster.podRunner().addImage(new Image(IMAGE, folder, List.of("vllm", "serve"), List.of(), Map.of()));
    }

    private static String annotations(Spread spread) {
        return "plainsail.dev/devices: 'gpu.plainsail.test', plainsail.dev/library-path: auto, plainsail.dev/pool: chat,"
                + " plainsail.dev/parallelism: " + spread.parallelism();
    }

    /** {@code ANNOTATIONS} and {@code POD} in the text are filled in. */
    void create(String yaml, Spread spread) throws IOException, InterruptedException {
        String text = yaml.replace("{ANNOTATIONS}", "{" + annotations(spread) + "}")
                .replaceAll("POD(?=})", POD.replace("$", "\\$"));
        Kubectl.Result result = cluster.kubectl().tryRun(text, "create", "-n", namespace, "-f", "-");
        assertThat(result.exitCode()).as(result.errors()).isZero();
    }

    void annotate(Spread spread) throws IOException, InterruptedException {
        cluster.kubectl()
                .run(
                        "annotate",
                        kind,
                        name,
                        "-n",
                        namespace,
                        "--overwrite",
                        "plainsail.dev/parallelism=" + spread.parallelism());
    }

    /** A command about this workload: {@code scale}, {@code set env}, {@code patch}. */
    void kubectl(String command, String... more) throws IOException, InterruptedException {
        String[] words = command.split(" ", -1);
        List<String> all = new java.util.ArrayList<>(List.of(words));
        all.addAll(List.of(kind.toLowerCase(java.util.Locale.ROOT) + "/" + name, "-n", namespace));
        all.addAll(List.of(more));
        cluster.kubectl().run(all.toArray(String[]::new));
    }

    void rollout(String what, String... more) throws IOException, InterruptedException {
        kubectl("rollout " + what, more);
    }

    /** With everything that hangs on it, claims included. */
    void delete() throws IOException, InterruptedException {
        cluster.kubectl()
                .run("delete", kind, name, "-n", namespace, "--cascade=foreground", "--wait=true", "--timeout=120s");
        await().atMost(PATIENCE).until(() -> pods().isEmpty());
    }

    List<Pod> pods() {
        return cluster.client().pods().inNamespace(namespace).withLabel("app", name).list().getItems().stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    String uids() {
        return pods().stream().map(pod -> pod.getMetadata().getUid()).sorted().collect(Collectors.joining(" "));
    }

    void awaitPods(int number, Spread spread) throws Exception {
        awaitPods(number, spread, pod -> true);
    }

    /** Waits until so many pods run, all of them for this spread, and no other is left; then looks at each. */
    void awaitPods(int number, Spread spread, Predicate<Pod> also) throws Exception {
        List<Pod> pods;
        try {
            pods = await(kind + " " + name + " over " + spread)
                    .atMost(PATIENCE)
                    .until(
                            this::pods,
                            found -> found.size() == number
                                    && found.stream()
                                            .allMatch(pod -> isRunning(pod)
                                                    && arguments(pod).contains(size(spread)))
                                    && found.stream().allMatch(also));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    cluster.kubectl().run("describe", "pods," + kind, "-n", namespace, "-l", "app=" + name), e);
        }
        for (Pod pod : pods) {
            check(pod, spread);
        }
    }

    static boolean isRunning(Pod pod) {
        return pod.getStatus().getContainerStatuses().stream()
                        .anyMatch(status -> status.getState().getRunning() != null)
                && pod.getStatus().getResourceClaimStatuses() != null;
    }

    static String arguments(Pod pod) {
        return String.join(" ", engine(pod).getArgs());
    }

    private static String size(Spread spread) {
        return "--tensor-parallel-size " + spread.devices();
    }

    private static Container engine(Pod pod) {
        return pod.getSpec().getContainers().getFirst();
    }

    static String variable(Pod pod, String name) {
        return engine(pod).getEnv().stream()
                .filter(variable -> variable.getName().equals(name))
                .map(EnvVar::getValue)
                .findFirst()
                .orElse("");
    }

    private void check(Pod pod, Spread spread) throws IOException {
        Map<String, String> labels = pod.getMetadata().getLabels();
        assertThat(labels).containsEntry("plainsail.dev/pool", "chat");
        String template = labels.get("plainsail.dev/claim-template");
        assertThat(pod.getSpec().getResourceClaims()).singleElement().satisfies(entry -> {
            assertThat(entry.getName()).isEqualTo("plainsail");
            assertThat(entry.getResourceClaimTemplateName()).isEqualTo(template).startsWith("plainsail-");
        });
        assertThat(engine(pod).getResources().getClaims())
                .singleElement()
                .satisfies(use -> assertThat(use.getName()).isEqualTo("plainsail"));
        assertThat(engine(pod).getArgs())
                .startsWith("tiny")
                .endsWith(size(spread).split(" ", -1));
        assertThat(variable(pod, "LIBRARY_PATH")).startsWith(FOLDERS);
        assertThat(pod.getMetadata().getAnnotations().get("plainsail.dev/plan"))
                .contains("\"container\":\"engine\"", "template/" + template, "--tensor-parallel-size");
        ResourceClaim claim = cluster.client()
                .resources(ResourceClaim.class)
                .inNamespace(namespace)
                .withName(pod.getStatus().getResourceClaimStatuses().getFirst().getResourceClaimName())
                .get();
        assertThat(Deployed.devices(claim)).hasSize(spread.devices());
        assertThat(Deployed.isReservedFor(claim, pod)).isTrue();
        RunningContainer process = RunningContainer.of(pod, "engine");
        assertThat(String.join(" ", process.words())).contains("vllm serve").contains(size(spread));
        assertThat(process.environment().get("LIBRARY_PATH")).startsWith(FOLDERS);
    }

    String annotation(String key) throws IOException, InterruptedException {
        return jsonPath("{.metadata.annotations." + key.replace(".", "\\.") + "}");
    }

    String templateAnnotation(String key) throws IOException, InterruptedException {
        return jsonPath("{.spec.template.metadata.annotations." + key.replace(".", "\\.") + "}");
    }

    private String jsonPath(String path) throws IOException, InterruptedException {
        return cluster.kubectl().run("get", kind, name, "-n", namespace, "-o", "jsonpath=" + path);
    }
}
