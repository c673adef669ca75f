package dev.plainsail.e2e.story;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.realnode.GoPrograms;
import dev.plainsail.e2e.realnode.NodeImages;
import dev.plainsail.e2e.realnode.RealNode;
import dev.plainsail.e2e.realnode.Unavailable;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a real node is given before Plainsail is installed: images in place of a registry, a driver with devices, and
 * cert-manager. All waiting has an end.
 */
public final class NodeParts {

    private static final String RUNTIME = "opt/plainsail/lib/runtime";

    private final LocalCluster cluster;
    private final RealNode node;
    private final Cache cache;
    private final Map<String, String> environment;
    private final NodeImages images;
    private final Path packages;

    public NodeParts(LocalCluster cluster, Cache cache, Map<String, String> environment, Path work)
            throws IOException, Unavailable {
        this.cluster = cluster;
        this.node = cluster.realNode();
        this.cache = cache;
        this.environment = Map.copyOf(environment);
        this.images = new NodeImages(work);
        this.packages = RealNode.packages(cache, environment);
    }

    /** Both programs' images, as the build made them. */
    public void loadProduct(Checkout checkout) throws IOException, InterruptedException {
        for (String module : List.of("webhook", "epp")) {
            node.load(checkout.image(module));
        }
    }

    /** Envoy of this machine under the name of its project's image. */
    public void loadEnvoy(Path envoy) throws IOException, InterruptedException {
        node.load(images.ofDynamicProgram("docker.io/envoyproxy/envoy:v1.40.0", envoy));
    }

    /** The simulated engine under the name of vLLM's image, on the runtime that our own images have. */
    public void loadEngine(Checkout checkout) throws IOException, InterruptedException {
        Path layer = checkout.imageFiles("webhook").resolve("runtime");
        node.load(images.ofTrees(
                "docker.io/vllm/vllm-openai:v0.32.0",
                Map.of("/", layer, "/opt/engine", checkout.distribution("e2e")),
                packages,
                Map.of(
                        "PATH", "/opt/engine/simulated-engine/bin:/bin",
                        "JAVA_HOME", "/" + RUNTIME,
                        "LIBRARY_PATH", "/usr/local/cuda/lib64/stubs")));
    }

    /** Waits until the node offers that many devices, of class {@code gpu.nvidia.com}. */
    public void installDriver(int devices) throws IOException, InterruptedException, Unavailable {
        Path program = GoPrograms.DRA_DRIVER.folder(cache, environment).resolve(GoPrograms.DRA_DRIVER.program());
        node.load(images.ofProgram("plainsail.local/dra-driver:1", program));
        apply(text("dra-driver.yaml")
                .replace("@KUBELET@", node.kubeletFolder().toString())
                .replace("@DEVICES@", Integer.toString(devices)));
        cluster.kubectl().run("rollout", "status", "daemonset/dra-driver", "-n", "dra-driver", "--timeout=120s");
        cluster.client()
                .resources(ResourceSlice.class)
                .informOnCondition(slices -> slices.stream()
                                .mapToInt(slice -> slice.getSpec().getDevices().size())
                                .sum()
                        == devices)
                .orTimeout(120, TimeUnit.SECONDS)
                .join();
    }

    /** Waits until its webhook answers, as its own installation page asks. */
    public void installCertManager() throws IOException, InterruptedException, Unavailable {
        Path folder = GoPrograms.CERT_MANAGER.folder(cache, environment);
        node.load(
                images.ofProgram("plainsail.local/cert-manager:1", folder.resolve(GoPrograms.CERT_MANAGER.program())));
        cluster.kubectl()
                .run("apply", "--server-side", "-f", folder.resolve("crds").toString());
        cluster.kubectl()
                .run(
                        "wait",
                        "--for=condition=Established",
                        "--timeout=120s",
                        "crd",
                        "certificates.cert-manager.io",
                        "issuers.cert-manager.io");
        apply(text("cert-manager.yaml"));
        for (String program : List.of("webhook", "cainjector", "controller")) {
            cluster.kubectl().run("rollout", "status", "deployment/" + program, "-n", "cert-manager", "--timeout=120s");
        }
        awaitCertManager();
    }

    private void awaitCertManager() throws IOException, InterruptedException {
        String issuer = """
                apiVersion: cert-manager.io/v1
                kind: Issuer
                metadata: {name: probe, namespace: default}
                spec: {selfSigned: {}}
                """;
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        var tried = cluster.kubectl().tryRun(issuer, "create", "--dry-run=server", "-f", "-");
        while (tried.exitCode() != 0) {
            if (System.nanoTime() > end) {
                throw new UserError("cert-manager's webhook does not answer: " + tried.errors());
            }
            Thread.sleep(500);
            tried = cluster.kubectl().tryRun(issuer, "create", "--dry-run=server", "-f", "-");
        }
    }

    private void apply(String manifest) throws IOException, InterruptedException {
        var applied = cluster.kubectl().tryRun(manifest, "apply", "-f", "-");
        if (applied.exitCode() != 0) {
            throw new UserError("not applied: " + applied.errors().strip());
        }
    }

    private static String text(String name) throws IOException {
        try (InputStream in = NodeParts.class.getResourceAsStream("/realnode/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the build left out /realnode/" + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Whether the build has made the images, which it does after the tests of their modules. */
    public static boolean imagesAreBuilt(Checkout checkout) {
        return Files.exists(checkout.root().resolve("webhook/target/jib-image.tar"))
                && Files.exists(checkout.root().resolve("epp/target/jib-image.tar"));
    }

    /** Whether the build's rehearsals made the caches from which the images' JVMs start. */
    public static boolean hasStartCache(Checkout checkout) {
        return Stream.of("webhook", "epp")
                .map(module -> checkout.imageFiles(module).resolve("program/opt/plainsail/lib/app/plainsail.aot"))
                .allMatch(Files::exists);
    }
}
