package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;

import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.GoTool;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * LeaderWorkerSet's own controller and webhooks, as a process beside the cluster. It is built with Go from its module when
 * {@code PLAINSAIL_LWS=install} asks for it (some minutes, once); without that it is used when the cache has it.
 */
final class LwsController implements AutoCloseable {
    static final String VERSION = "0.8.0";
    /** For the line that says why a test is skipped. */
    static final String HOW = "set PLAINSAIL_LWS=install, with Go on the PATH, to build it once";

    private static final long BYTES = 100_000_000L;
    private static final Cache.Entry ENTRY =
            new Cache.Entry("lws-" + VERSION, "LeaderWorkerSet's controller " + VERSION, BYTES);
    private static final String PASSWORD = "password";

    private final LocalCluster cluster;
    private final Path module;
    private final Process process;

    private LwsController(LocalCluster cluster, Path module, Process process) {
        this.cluster = cluster;
        this.module = module;
        this.process = process;
    }

    /** The folder with the program and its manifests, if it is there or asked for. */
    static Optional<Path> wanted(Map<String, String> environment) {
        Cache cache = Cache.of(environment, Progress.console());
        boolean isAsked = environment.getOrDefault("PLAINSAIL_LWS", "").equals("install");
        return isAsked || cache.has(ENTRY)
                ? Optional.of(cache.get(ENTRY, (empty, step) -> build(cache, empty, environment)))
                : Optional.empty();
    }

    private static void build(Cache cache, Path into, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path go = Command.find("go", environment).orElseThrow(() -> new IOException("there is no go on the PATH"));
        GoTool tool = GoTool.in(cache, ".lws-build", go, environment);
        Path source = tool.module("sigs.k8s.io/lws", "v" + VERSION);
        tool.run(
                "LeaderWorkerSet's controller could not be built",
                source,
                tool.work().resolve("build.log"),
                "build",
                "-trimpath",
                "-buildvcs=false",
                "-o",
                into.resolve("lws").toString(),
                "./cmd");
        for (String file :
                List.of("crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml", "webhook/manifests.yaml")) {
            Files.write(
                    into.resolve(Path.of(file).getFileName()),
                    Files.readAllBytes(source.resolve("config").resolve(file)));
        }
        tool.done();
    }

    /** Applies the CRD and its webhooks, and waits until both answer. */
    static LwsController start(LocalCluster cluster, Path module) throws Exception {
        cluster.kubectl()
                .run(
                        "apply",
                        "--server-side",
                        "--force-conflicts",
                        "-f",
                        module.resolve("leaderworkerset.x-k8s.io_leaderworkersets.yaml")
                                .toString());
        Path folder = Files.createTempDirectory("lws-");
        int port = freePort();
        String authority = keyPair(folder);
        Path config = Files.writeString(folder.resolve("config.yaml"), """
                apiVersion: config.lws.x-k8s.io/v1alpha1
                kind: Configuration
                leaderElection: {leaderElect: false}
                internalCertManagement: {enable: false}
                health: {healthProbeBindAddress: "0"}
                metrics: {bindAddress: "0"}
                webhook: {host: 127.0.0.1, port: %d, certDir: %s}
                """.formatted(port, folder));
        ProcessBuilder builder = new ProcessBuilder(module.resolve("lws").toString(), "--config", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        builder.environment().put("KUBECONFIG", cluster.kubeconfig().toString());
        LwsController controller = new LwsController(cluster, module, builder.start());
        Runtime.getRuntime().addShutdownHook(new Thread(controller.process::destroyForcibly));
        controller.configureWebhooks(port, authority);
        await("LeaderWorkerSet's webhooks")
                .atMost(Duration.ofMinutes(2))
                .ignoreExceptions()
                .until(() -> {
                    if (!controller.process.isAlive()) {
                        throw new AssertionError("it ended: " + Files.readString(folder.resolve("log")));
                    }
                    return cluster.kubectl()
                                    .tryRun("""
                            apiVersion: leaderworkerset.x-k8s.io/v1
                            kind: LeaderWorkerSet
                            metadata: {name: probe, namespace: default}
                            spec:
                              leaderWorkerTemplate:
                                size: 1
                                workerTemplate: {spec: {containers: [{name: a, image: x}]}}
                            """, "create", "--dry-run=server", "-f", "-")
                                    .exitCode()
                            == 0;
                });
        return controller;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** {@code tls.crt} and {@code tls.key}, self-signed for 127.0.0.1. @return the certificate as a caBundle */
    private static String keyPair(Path folder) throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve("keys.p12");
        Path keytool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Command.run(new ChildProcess.Spec(
                "keytool",
                List.of(
                        keytool.toString(),
                        "-genkeypair",
                        "-alias",
                        "lws",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=lws",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-validity",
                        "2",
                        "-keystore",
                        store.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD),
                Map.of(),
                folder,
                folder.resolve("keytool.log")));
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        String certificate = pem("CERTIFICATE", keys.getCertificate("lws").getEncoded());
        Files.writeString(folder.resolve("tls.crt"), certificate);
        Files.writeString(
                folder.resolve("tls.key"),
                pem("PRIVATE KEY", keys.getKey("lws", PASSWORD.toCharArray()).getEncoded()));
        return Base64.getEncoder().encodeToString(certificate.getBytes(StandardCharsets.UTF_8));
    }

    private static String pem(String type, byte[] der) {
        return "-----BEGIN " + type + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                + "\n-----END " + type + "-----\n";
    }

    /** As shipped, but for where the server is; of pods only those of a LeaderWorkerSet, as its overlay has it. */
    private void configureWebhooks(int port, String authority) throws IOException, InterruptedException {
        try (Stream<JsonNode> documents = documents()) {
            for (JsonNode configuration : documents.toList()) {
                ObjectNode metadata = (ObjectNode) configuration.get("metadata");
                metadata.put("name", "lws-" + metadata.get("name").asString());
                configuration.get("webhooks").forEach(webhook -> {
                    ObjectNode client = (ObjectNode) webhook.get("clientConfig");
                    client.put(
                            "url",
                            "https://127.0.0.1:" + port
                                    + client.at("/service/path").asString());
                    client.put("caBundle", authority).remove("service");
                    if (webhook.get("name").asString().contains("pod")) {
                        ((ObjectNode) webhook)
                                .putObject("objectSelector")
                                .putArray("matchExpressions")
                                .addObject()
                                .put("key", "leaderworkerset.sigs.k8s.io/name")
                                .put("operator", "Exists");
                    }
                });
                cluster.kubectl().tryRun(configuration.toString(), "apply", "-f", "-");
            }
        }
    }

    private Stream<JsonNode> documents() throws IOException {
        return Stream.of(Files.readString(module.resolve("manifests.yaml")).split("(?m)^---$", -1))
                .filter(text -> !text.isBlank())
                .map(Shapes.YAML::readTree);
    }

    @Override
    public void close() throws IOException {
        try {
            cluster.kubectl()
                    .run(
                            "delete",
                            "--ignore-not-found",
                            "mutatingwebhookconfigurations,validatingwebhookconfigurations",
                            "lws-mutating-webhook-configuration",
                            "lws-validating-webhook-configuration");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            process.destroy();
        }
    }
}
