package dev.plainsail.e2e.picker;

import dev.plainsail.e2e.Told;
import dev.plainsail.e2e.process.ChildProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The picker as it is shipped, started from its distribution folder with endpoints from a file. */
public final class PickerProcess implements AutoCloseable {
    private static final String LISTENS = "the picker listens";
    private static final Duration READY = Duration.ofMinutes(2);

    private final HttpClient client = HttpClient.newHttpClient();
    private final ChildProcess process;

    private PickerProcess(ChildProcess process) {
        this.process = process;
    }

    /** @param port 0: a free one */
    public static PickerProcess start(Path folder, List<InetSocketAddress> endpoints, int port, String... flags)
            throws IOException, InterruptedException {
        Path file = folder.resolve("endpoints.yaml");
        write(file, endpoints);
        return launch(folder, port, Map.of(), "--endpoints-file=" + file, flags);
    }

    /** With what a cluster has instead, as the owner of this kubeconfig. */
    public static PickerProcess inCluster(Path folder, Path kubeconfig, String namespace)
            throws IOException, InterruptedException {
        return launch(folder, 0, Map.of("KUBECONFIG", kubeconfig.toString()), "--pool-namespace=" + namespace);
    }

    private static PickerProcess launch(
            Path folder, int port, Map<String, String> environment, String flag, String... flags)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                distribution().resolve("bin/plainsail-epp").toString(),
                flag,
                "--grpc-port=" + port,
                "--grpc-health-port=0",
                "--metrics-port=0"));
        command.addAll(List.of(flags));
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(
                Map.of("JAVA_HOME", System.getProperty("java.home"), "POD_IP", "127.0.0.1", "JAVA_OPTS", "-Xmx512m"));
        // A log of its own: it says which ports are this picker's, and others may have run in the folder.
        Path log = Files.createTempFile(folder, "picker-", ".log");
        PickerProcess picker =
                new PickerProcess(ChildProcess.start(new ChildProcess.Spec("picker", command, all, folder, log)));
        picker.awaitReady();
        return picker;
    }

    static void write(Path file, List<InetSocketAddress> endpoints) throws IOException {
        StringBuilder text = new StringBuilder("endpoints:\n");
        for (int i = 0; i < endpoints.size(); i++) {
            InetSocketAddress each = endpoints.get(i);
            text.append("- {name: pod-%d, namespace: test, address: %s, port: \"%d\"}\n"
                    .formatted(i, each.getAddress().getHostAddress(), each.getPort()));
        }
        if (endpoints.isEmpty()) {
            text.replace(0, text.length(), "endpoints: []\n");
        }
        Files.writeString(file, text);
    }

    /** Made by {@code mvn package} of the module epp. */
    private static Path distribution() {
        for (Path here = Path.of("").toAbsolutePath(); here != null; here = here.getParent()) {
            Path dist = here.resolve("epp/target/dist");
            if (Files.isDirectory(dist.resolve("lib"))) {
                return dist;
            }
        }
        throw new IllegalStateException("no epp/target/dist: run mvn package first");
    }

    private void awaitReady() throws InterruptedException {
        long until = System.nanoTime() + READY.toNanos();
        while (true) {
            try {
                if (log().contains(LISTENS) && get("/readyz").equals("ready\n")) {
                    return;
                }
            } catch (IOException e) {
                // asked too early, or for too long; asked again
            }
            if (!process.isAlive() || System.nanoTime() > until) {
                throw new IllegalStateException("the picker did not get ready:\n" + process.logTail(30));
            }
            Thread.sleep(50);
        }
    }

    String get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + listens("metrics") + path))
                .timeout(Duration.ofSeconds(10))
                .build();
        return client.send(request, BodyHandlers.ofString()).body();
    }

    /** The sum of all series of a metric. */
    double metric(String name) throws IOException, InterruptedException {
        return Told.sum(get("/metrics"), name);
    }

    public int port() throws IOException {
        return listens("ext_proc");
    }

    private int listens(String key) throws IOException {
        return Told.port(log(), LISTENS, key);
    }

    public String log() throws IOException {
        return Files.readString(process.log());
    }

    Path folder() {
        return process.log().getParent();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.kill();
        process.waitFor(READY);
    }

    /** SIGTERM. */
    void terminate() {
        process.terminate();
    }

    boolean ended(Duration within) throws InterruptedException {
        return process.waitFor(within);
    }

    @Override
    public void close() {
        process.stop(Duration.ofSeconds(10));
    }
}
