package dev.plainsail.e2e.story;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.node.Image;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Plainsail on a local cluster, installed as a user does: {@code kubectl apply -k} of the shipped manifests. */
public final class Installation {
    public static final String NAMESPACE = "plainsail-system";
    private static final int GATEWAY_PORT = 8080;
    private static final int GATEWAY_STATUS_PORT = 19001;

    private final LocalCluster cluster;

    private Installation(LocalCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Tells the node what stands for each image. Containers get this JVM's JDK.
     *
     * @param engine folder with the {@code vllm} that stands for vLLM's image
     * @param engineEnvironment what that image adds to its containers' environment
     */
    public static void addImages(
            LocalCluster cluster, Checkout checkout, Path envoy, Path engine, Map<String, String> engineEnvironment) {
        Map<String, String> java = Map.of("JAVA_HOME", System.getProperty("java.home"));
        Map<String, String> forEngine = new HashMap<>(java);
        forEngine.putAll(engineEnvironment);
        Path envoyFolder = envoy.toAbsolutePath().getParent();
        if (envoyFolder == null) {
            throw new IllegalArgumentException("no folder: " + envoy);
        }
        image(cluster, "ghcr.io/plainsail/webhook:*", checkout.programs("webhook"), java);
        image(cluster, "ghcr.io/plainsail/epp:*", checkout.programs("epp"), java);
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
        return new Installation(cluster);
    }

    /** Applies these kustomizations, the last one Envoy's, and waits until all three programs are available. */
    public static Installation apply(LocalCluster cluster, Path... kustomizations)
            throws IOException, InterruptedException {
        for (Path kustomization : kustomizations) {
            applySmall(cluster, kustomization);
        }
        Installation installation = on(cluster);
        for (String program : List.of("plainsail-webhook", "plainsail-epp", "plainsail-envoy")) {
            installation.awaitAvailable(program);
        }
        return installation;
    }

    /** A real node counts its processors, and two of them are fewer than the manifests ask for: there they ask for less. */
    private static void applySmall(LocalCluster cluster, Path kustomization) throws IOException, InterruptedException {
        if (!cluster.hasRealNode()) {
            cluster.apply(kustomization);
            return;
        }
        String rendered = cluster.kubectl().run("kustomize", kustomization.toString());
        var applied = cluster.kubectl().tryRun(rendered.replace("cpu: \"1\"", "cpu: 100m"), "apply", "-f", "-");
        if (applied.exitCode() != 0) {
            throw new UserError("not applied: " + applied.errors().strip());
        }
    }

    /** Waits until a program's Deployment is rolled out; if it does not, says why with the end of its log. */
    public void awaitAvailable(String program) throws IOException, InterruptedException {
        var rollout = cluster.kubectl()
                .tryRun("", "rollout", "status", "deployment/" + program, "-n", NAMESPACE, "--timeout=240s");
        if (rollout.exitCode() != 0) {
            String pods = cluster.kubectl()
                    .tryRun("", "describe", "pods", "-n", NAMESPACE, "-l", "app.kubernetes.io/name=" + program)
                    .output();
            String log = cluster.kubectl()
                    .tryRun("", "logs", "deployment/" + program, "-n", NAMESPACE, "--tail=30")
                    .output();
            throw new UserError(
                    program + " did not become available: " + rollout.errors().strip() + "\n" + pods + "\n" + log);
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
