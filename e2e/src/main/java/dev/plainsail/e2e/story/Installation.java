package dev.plainsail.e2e.story;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.node.Image;
import dev.plainsail.e2e.process.Trees;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Plainsail on a local cluster, installed as a user does: {@code kubectl apply -k} of the shipped manifests. {@code close} takes
 * it away as the install notes say; a cluster that ends anyway need not be cleaned up.
 */
public final class Installation implements AutoCloseable {
    public static final String NAMESPACE = "plainsail-system";
    private static final String WEBHOOK = "plainsail-webhook";
    private static final String PATIENCE = "--timeout=240s";
    private static final int PROBES = 120;
    private static final int GATEWAY_PORT = 8080;
    private static final int GATEWAY_STATUS_PORT = 19001;
    private static final Map<String, String> JAVA = Map.of("JAVA_HOME", System.getProperty("java.home"));

    /** What a user writes to change the shipped manifests without a copy of them. */
    private static final String SMALL = """
            apiVersion: kustomize.config.k8s.io/v1beta1
            kind: Kustomization
            resources: ["@KUSTOMIZATION@"]
            patches:
            - target: {kind: Deployment}
              patch: |
                - {op: replace, path: /spec/template/spec/containers/0/resources/requests/cpu, value: 100m}
            """;

    private final LocalCluster cluster;
    /** In the order in which they were applied. */
    private final List<Path> kustomizations;

    private Installation(LocalCluster cluster, List<Path> kustomizations) {
        this.cluster = cluster;
        this.kustomizations = kustomizations;
    }

    /**
     * Tells the node what stands for each image. Containers get this JVM's JDK.
     *
     * @param engine folder with the {@code vllm} that stands for vLLM's image
     * @param engineEnvironment what that image adds to its containers' environment
     */
    public static void addImages(
            LocalCluster cluster, Checkout checkout, Path envoy, Path engine, Map<String, String> engineEnvironment) {
        Map<String, String> forEngine = new HashMap<>(JAVA);
        forEngine.putAll(engineEnvironment);
        Path envoyFolder = envoy.toAbsolutePath().getParent();
        if (envoyFolder == null) {
            throw new IllegalArgumentException("no folder: " + envoy);
        }
        image(cluster, "ghcr.io/plainsail/webhook:*", checkout.programs("webhook"), JAVA);
        image(cluster, "ghcr.io/plainsail/epp:*", checkout.programs("epp"), JAVA);
        image(cluster, "envoyproxy/envoy:*", envoyFolder, Map.of());
        cluster.podRunner()
                .addImage(new Image("vllm/vllm-openai:*", engine, List.of("vllm", "serve"), List.of(), forEngine));
    }

    private static void image(LocalCluster cluster, String name, Path programs, Map<String, String> environment) {
        cluster.podRunner().addImage(new Image(name, programs, List.of(), List.of(), environment));
    }

    /** Applies the base and the standalone Envoy, and waits until all three programs are available. */
    public static Installation apply(LocalCluster cluster, Checkout checkout) throws IOException, InterruptedException {
        return apply(cluster, checkout.manifests("base"), checkout.manifests("envoy/standalone"));
    }

    /** What is, or will be, installed there. */
    public static Installation on(LocalCluster cluster) {
        return new Installation(cluster, List.of());
    }

    /** Applies these kustomizations, the last one Envoy's, and waits until all three programs are available. */
    public static Installation apply(LocalCluster cluster, Path... kustomizations)
            throws IOException, InterruptedException {
        for (Path kustomization : kustomizations) {
            applySmall(cluster, kustomization);
        }
        Installation installation = new Installation(cluster, List.of(kustomizations));
        for (String program : List.of(WEBHOOK, "plainsail-epp", "plainsail-envoy")) {
            installation.awaitAvailable(program);
        }
        return installation;
    }

    /** The base with the picker scaled to nothing, and no Envoy; waits until the API server asks the webhook. */
    public static Installation webhookOnly(LocalCluster cluster, Checkout checkout)
            throws IOException, InterruptedException {
        if (cluster.runsPodsAsProcesses()) {
            image(cluster, "ghcr.io/plainsail/webhook:*", checkout.programs("webhook"), JAVA);
        }
        Path base = checkout.manifests("base");
        applySmall(cluster, base);
        Installation installation = new Installation(cluster, List.of(base));
        installation.scale("plainsail-epp", 0);
        installation.awaitAsked();
        return installation;
    }

    /** Waits until an annotated pod passes, which needs the API server to reach the webhook and to trust it. */
    public void awaitAsked() throws IOException, InterruptedException {
        awaitAvailable(WEBHOOK);
        Kubectl.Result last = probe();
        for (int i = 0; i < PROBES && last.exitCode() != 0; i++) {
            Thread.sleep(1000);
            last = probe();
        }
        if (last.exitCode() != 0) {
            throw new UserError("the webhook is not asked: " + last.errors().strip() + "\n" + log(WEBHOOK));
        }
    }

    /** Not kept. */
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

    /** Runs so many webhooks, and waits until they are asked, or gone. */
    public void webhooks(int number) throws IOException, InterruptedException {
        scale(WEBHOOK, number);
        if (number > 0) {
            awaitAsked();
            return;
        }
        cluster.kubectl()
                .run(
                        "wait",
                        "--for=delete",
                        "pod",
                        "-n",
                        NAMESPACE,
                        "-l",
                        "app.kubernetes.io/name=" + WEBHOOK,
                        PATIENCE);
    }

    private void scale(String program, int number) throws IOException, InterruptedException {
        cluster.kubectl().run("scale", "deployment/" + program, "-n", NAMESPACE, "--replicas=" + number);
    }

    /** What a program logged lately; empty if it does not run. */
    public String log(String program) throws IOException, InterruptedException {
        return cluster.kubectl()
                .tryRun("", "logs", "deployment/" + program, "-n", NAMESPACE, "--tail=30")
                .output();
    }

    /** As the install notes say: first the configuration, then everything else. Waits until it is gone. */
    @Override
    public void close() throws IOException {
        try {
            cluster.kubectl().run("delete", "--ignore-not-found", "mutatingwebhookconfiguration", "plainsail");
            for (Path kustomization : kustomizations.reversed()) {
                cluster.kubectl()
                        .run("delete", "-k", kustomization.toString(), "--ignore-not-found", "--wait=true", PATIENCE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Real nodes count their processors, and two of them are fewer than the manifests ask for: there they ask for less. */
    private static void applySmall(LocalCluster cluster, Path kustomization) throws IOException, InterruptedException {
        if (cluster.runsPodsAsProcesses()) {
            cluster.apply(kustomization);
            return;
        }
        Path overlay = Files.createTempDirectory("plainsail-small-").toRealPath();
        try {
            Path base = overlay.relativize(kustomization.toRealPath());
            Files.writeString(overlay.resolve("kustomization.yaml"), SMALL.replace("@KUSTOMIZATION@", base.toString()));
            cluster.apply(overlay);
        } finally {
            Trees.delete(overlay);
        }
    }

    /** Waits until a program's Deployment is rolled out; if it does not, says why with the end of its log. */
    public void awaitAvailable(String program) throws IOException, InterruptedException {
        var rollout =
                cluster.kubectl().tryRun("", "rollout", "status", "deployment/" + program, "-n", NAMESPACE, PATIENCE);
        if (rollout.exitCode() != 0) {
            String pods = cluster.kubectl()
                    .tryRun("", "describe", "pods", "-n", NAMESPACE, "-l", "app.kubernetes.io/name=" + program)
                    .output();
            throw new UserError(program + " did not become available: "
                    + rollout.errors().strip() + "\n" + pods + "\n" + log(program));
        }
    }

    /** The newest pod of one of our programs that is not going away. */
    public Pod pod(String program) {
        return pods(program).stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .max((a, b) -> a.getMetadata()
                        .getCreationTimestamp()
                        .compareTo(b.getMetadata().getCreationTimestamp()))
                .orElseThrow(() -> new UserError("no pod of " + program + " in " + NAMESPACE));
    }

    /** All pods of one of our programs, those that are going away too. */
    public List<Pod> pods(String program) {
        return cluster.client()
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel("app.kubernetes.io/name", program)
                .list()
                .getItems();
    }

    /** Where clients send their requests: the gateway's pod itself, since port 80 of its Service needs root here. */
    public Gateway gateway() {
        String ip = pod("plainsail-envoy").getStatus().getPodIP();
        return new Gateway(uri(cluster.reach(ip, GATEWAY_PORT)), uri(cluster.reach(ip, GATEWAY_STATUS_PORT)));
    }

    private static URI uri(InetSocketAddress address) {
        return URI.create("http://" + address.getHostString() + ":" + address.getPort());
    }
}
