package dev.plainsail.e2e.story;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.node.Image;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
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
        cluster.apply(checkout.manifests("base"));
        cluster.apply(checkout.manifests("envoy/standalone"));
        Installation installation = new Installation(cluster);
        for (String program : List.of("plainsail-webhook", "plainsail-epp", "plainsail-envoy")) {
            installation.awaitAvailable(program);
        }
        return installation;
    }

    /** Waits until a program's Deployment is rolled out; if it does not, says why with the end of its log. */
    public void awaitAvailable(String program) throws IOException, InterruptedException {
        var rollout = cluster.kubectl()
                .tryRun("", "rollout", "status", "deployment/" + program, "-n", NAMESPACE, "--timeout=120s");
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
        return cluster
                .client()
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel("app.kubernetes.io/name", program)
                .list()
                .getItems()
                .stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .max((a, b) -> a.getMetadata()
                        .getCreationTimestamp()
                        .compareTo(b.getMetadata().getCreationTimestamp()))
                .orElseThrow(() -> new UserError("no pod of " + program + " in " + NAMESPACE));
    }

    /** Where clients send their requests: the gateway's pod itself, since port 80 of its Service needs root here. */
    public Gateway gateway() {
        String ip = pod("plainsail-envoy").getStatus().getPodIP();
        return new Gateway(
                URI.create("http://" + ip + ":" + GATEWAY_PORT),
                URI.create("http://" + ip + ":" + GATEWAY_STATUS_PORT));
    }
}
