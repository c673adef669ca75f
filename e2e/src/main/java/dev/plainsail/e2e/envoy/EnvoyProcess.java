package dev.plainsail.e2e.envoy;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.process.ChildProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An Envoy at work on a configuration of its own. Every port in the configuration may be 0. */
public final class EnvoyProcess implements AutoCloseable {
    private static final Duration READY = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final int LOG_LINES = 20;

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(30)).build();
    private final ChildProcess process;
    private final Path adminFile;
    private URI admin = URI.create("http://127.0.0.1:0");

    private EnvoyProcess(ChildProcess process, Path adminFile) {
        this.process = process;
        this.adminFile = adminFile;
    }

    /**
     * Starts it and waits until it serves.
     *
     * @param configuration YAML with an {@code admin} part
     * @param folder its own: holds {@code envoy.yaml} and {@code envoy.log}
     * @throws UserError when it does not start, with the end of its log
     */
    public static EnvoyProcess start(Path program, String configuration, Path folder)
            throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Path file = folder.resolve("envoy.yaml");
        Files.writeString(file, configuration);
        Path adminFile = folder.resolve("admin-address.txt");
        Files.deleteIfExists(adminFile);
        ChildProcess process = ChildProcess.start(new ChildProcess.Spec(
                "envoy",
                List.of(
                        program.toString(),
                        "--config-path",
                        file.toString(),
                        "--admin-address-path",
                        adminFile.toString(),
                        "--concurrency",
                        "1",
                        "--disable-hot-restart",
                        "--log-level",
                        "warning"),
                Map.of(),
                folder,
                folder.resolve("envoy.log")));
        EnvoyProcess envoy = new EnvoyProcess(process, adminFile);
        try {
            envoy.awaitReady();
            return envoy;
        } catch (IOException | InterruptedException | RuntimeException e) {
            envoy.close();
            throw e;
        }
    }

    private void awaitReady() throws IOException, InterruptedException {
        long until = System.nanoTime() + READY.toNanos();
        while (!isReady()) {
            if (!process.isAlive()) {
                throw new UserError(
                        "Envoy ended at its start; the end of " + process.log() + ":\n" + process.logTail(LOG_LINES));
            }
            if (System.nanoTime() > until) {
                throw new UserError("Envoy was not ready within " + READY.toSeconds() + " s; the end of "
                        + process.log() + ":\n" + process.logTail(LOG_LINES));
            }
            Thread.sleep(PAUSE);
        }
    }

    private boolean isReady() throws IOException, InterruptedException {
        String address = Files.exists(adminFile) ? Files.readString(adminFile) : "";
        if (address.isBlank()) {
            return false;
        }
        admin = URI.create("http://" + address.strip());
        try {
            return get("/ready").statusCode() == 200;
        } catch (IOException e) {
            return false; // not listening yet
        }
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(admin.resolve(path))
                .timeout(Duration.ofSeconds(60))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** Its admin interface. */
    public URI admin() {
        return admin;
    }

    public long pid() {
        return process.pid();
    }

    public Path log() {
        return process.log();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Where the listener of that name really listens. */
    public InetSocketAddress listener(String name) throws IOException, InterruptedException {
        JsonNode all =
                JsonMapper.shared().readTree(get("/listeners?format=json").body());
        for (JsonNode listener : all.path("listener_statuses")) {
            if (listener.path("name").asString("").equals(name)) {
                JsonNode socket = listener.at("/local_address/socket_address");
                return new InetSocketAddress(
                        socket.path("address").asString(),
                        socket.path("port_value").asInt());
            }
        }
        throw new IllegalArgumentException("no listener " + name + " in " + all);
    }

    /** All counters and gauges whose name contains {@code part}. */
    public Map<String, Long> stats(String part) throws IOException, InterruptedException {
        Map<String, Long> values = new TreeMap<>();
        get("/stats?type=Counters").body().lines().forEach(line -> put(line, part, values));
        get("/stats?type=Gauges").body().lines().forEach(line -> put(line, part, values));
        return values;
    }

    private static void put(String line, String part, Map<String, Long> into) {
        int colon = line.lastIndexOf(": ");
        if (colon > 0 && line.substring(0, colon).contains(part)) {
            into.put(line.substring(0, colon), Long.parseLong(line.substring(colon + 2)));
        }
    }

    /** One counter or gauge by its whole name. */
    public OptionalLong stat(String name) throws IOException, InterruptedException {
        Long value = stats(name).get(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }

    /** Stops it: SIGTERM, and SIGKILL if it stays. */
    @Override
    public void close() {
        process.stop(GRACE);
    }
}
