package dev.plainsail.e2e.bench.admission;

import dev.plainsail.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reviews a second, latency at half of that, processor time a review, memory, time to get ready; one row a run. */
@Command(
        name = "admission-bench",
        mixinStandardHelpOptions = true,
        description = "Measures the packaged webhook over HTTPS. Needs taskset and a second core for the load.")
public final class AdmissionBench implements Callable<Integer> {

    @Option(names = "--webhook", required = true, description = "bin/plainsail-webhook of a package.")
    private @Nullable Path webhook;

    @Option(names = "--pod", required = true, description = "YAML of the pod that is sent again and again.")
    private @Nullable Path pod;

    @Option(names = "--seconds", defaultValue = "10", description = "Of each measurement (default: 10).")
    private int seconds;

    @Option(
            names = "--warm-up",
            defaultValue = "20000",
            description = "Reviews before anything is measured, so that the JVM has compiled itself (default: 20000).")
    private long warmUp;

    @Option(names = "--rounds", defaultValue = "3", description = "The table has the medians (default: 3).")
    private int rounds;

    @Option(names = "--connections", defaultValue = "16", description = "Kept connections (default: 16).")
    private int connections;

    @Option(
            names = "--rate",
            defaultValue = "0",
            description = "Reviews a second while latency is measured (default: half of what it can take).")
    private double rate;

    @Option(names = "--core", defaultValue = "0", description = "The webhook's core (default: 0).")
    private String core = "0";

    @Option(names = "--java-opts", arity = "0..*", description = "Flags for the JVM; a set of measurements each.")
    private List<String> javaOptions = new ArrayList<>(List.of(""));

    @Option(names = "--aot", description = "Every set once more with an AOT cache that a training run made.")
    private boolean aot;

    /** What the cache should know is what is loaded for the first reviews, not what is compiled for the last. */
    private static final long TRAINING = 500;

    private record Row(
            double readySeconds,
            double perSecond,
            double microsAReview,
            double p50Millis,
            double p99Millis,
            double memory,
            double peak) {}

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new AdmissionBench()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        byte[] request = HttpsConnection.request("/v1/mutate?timeout=5s", review());
        System.out.printf(Locale.ROOT, "review of %d bytes%n", request.length);
        System.out.println(
                "| JVM flags | ready s | reviews/s | CPU µs/review | p50 ms | p99 ms | RSS MiB | peak MiB |");
        System.out.println("|---|---|---|---|---|---|---|---|");
        try (LocalCluster cluster = LocalCluster.start(System.getenv())) {
            // The webhook keeps its lease and its authority there.
            cluster.kubectl().run("create", "namespace", "plainsail-system");
            for (String options : javaOptions) {
                row(options, measured(cluster, options, request));
                if (aot) {
                    Path cache = Files.createTempFile("plainsail-webhook-", ".aot");
                    train(cluster, options + " -XX:AOTCacheOutput=" + cache, request);
                    row(options + " AOT cache", measured(cluster, options + " -XX:AOTCache=" + cache, request));
                    Files.deleteIfExists(cache);
                }
            }
        }
        return 0;
    }

    private byte[] review() throws IOException {
        JsonNode object = new YAMLMapper().readTree(Files.readString(Objects.requireNonNull(pod)));
        ObjectNode review = JsonMapper.shared().createObjectNode();
        review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
        ObjectNode request = review.putObject("request");
        request.put("uid", "11111111-2222-3333-4444-555555555555");
        request.putObject("kind").put("group", "").put("version", "v1").put("kind", "Pod");
        request.putObject("resource").put("group", "").put("version", "v1").put("resource", "pods");
        request.put("namespace", "team-a").put("operation", "CREATE").put("dryRun", false);
        request.set("object", object);
        request.putNull("oldObject");
        return JsonMapper.shared().writeValueAsBytes(review);
    }

    private List<Row> measured(LocalCluster cluster, String options, byte[] request)
            throws IOException, InterruptedException {
        List<Row> rows = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            rows.add(measure(cluster, options, request));
        }
        return rows;
    }

    private Row measure(LocalCluster cluster, String options, byte[] request) throws IOException, InterruptedException {
        Duration duration = Duration.ofSeconds(seconds);
        try (MeasuredWebhook process = start(cluster, options)) {
            Load load = new Load(process.address(), request, connections);
            Load.Outcome first = load.closed(Duration.ofMinutes(10), warmUp);
            Duration before = process.processorTime();
            Load.Outcome most = load.closed(duration, Long.MAX_VALUE);
            double micros = process.processorTime().minus(before).toNanos()
                    / 1e3
                    / most.latencies().size();
            Load.Outcome half = load.open(duration, rate > 0 ? rate : Math.max(1, most.perSecond() / 2));
            System.err.printf(
                    Locale.ROOT,
                    "%s: warm-up %.0f/s, then %.0f/s, ready %d ms, p99 %.2f ms%n",
                    options,
                    first.perSecond(),
                    most.perSecond(),
                    process.ready().toMillis(),
                    half.percentile(0.99).toNanos() / 1e6);
            return new Row(
                    process.ready().toMillis() / 1e3,
                    most.perSecond(),
                    micros,
                    half.percentile(0.5).toNanos() / 1e6,
                    half.percentile(0.99).toNanos() / 1e6,
                    process.memoryMebibytes("VmRSS"),
                    process.memoryMebibytes("VmHWM"));
        }
    }

    private void train(LocalCluster cluster, String options, byte[] request) throws IOException, InterruptedException {
        try (MeasuredWebhook process = start(cluster, options)) {
            Load.Outcome ignored = new Load(process.address(), request, 2).closed(Duration.ofMinutes(2), TRAINING);
        }
    }

    private MeasuredWebhook start(LocalCluster cluster, String options) throws IOException, InterruptedException {
        return MeasuredWebhook.start(
                Objects.requireNonNull(webhook).toAbsolutePath(), cluster.kubeconfig(), core, options);
    }

    private static void row(String name, List<Row> rows) {
        System.out.printf(
                Locale.ROOT,
                "| `%s` | %.2f | %.0f | %.0f | %.2f | %.2f | %.0f | %.0f |%n",
                name.strip(),
                median(rows, Row::readySeconds),
                median(rows, Row::perSecond),
                median(rows, Row::microsAReview),
                median(rows, Row::p50Millis),
                median(rows, Row::p99Millis),
                median(rows, Row::memory),
                median(rows, Row::peak));
    }

    private static double median(List<Row> rows, ToDoubleFunction<Row> of) {
        return rows.stream()
                .map(of::applyAsDouble)
                .sorted(Comparator.naturalOrder())
                .toList()
                .get(rows.size() / 2);
    }
}
