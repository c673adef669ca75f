package dev.plainsail.epp.routing.simulation;

import dev.plainsail.epp.configuration.PickerConfiguration;
import dev.plainsail.epp.datalayer.EngineReport;
import dev.plainsail.epp.routing.OurPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * The table of {@code epp/README.md}: ours beside the others, over built-in workloads and, when the environment variable
 * PLAINSAIL_TRACES names a folder with them, over real traces. Arguments: number of seeds, then words that workloads must
 * contain.
 */
final class FleetSimulation {
    static final int REPLICAS = 4;

    private FleetSimulation() {}

    /** A workload by seed. */
    interface Source {
        List<Shape> of(long seed) throws IOException;
    }

    public static void main(String[] arguments) throws IOException {
        int seeds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10;
        String wanted = arguments.length > 1 ? arguments[1] : "";
        System.out.println("| workload | policy | hit rate | mean TTFT s | p50 | p99 | busiest / mean |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (Map.Entry<String, Source> workload : workloads().entrySet()) {
            if (workload.getKey().contains(wanted)) {
                compare(workload.getKey(), workload.getValue(), seeds);
            }
        }
    }

    static Map<String, Source> workloads() {
        Map<String, Source> all = new LinkedHashMap<>();
        all.put("conversations", seed -> Workloads.conversations(seed, 6000, 22));
        all.put("bursts", seed -> Workloads.bursts(seed, 4000, 24));
        String folder = System.getenv("PLAINSAIL_TRACES");
        if (folder != null) {
            Path mooncake = Path.of(folder, "mooncake-conversation.jsonl.gz");
            Path azure = Path.of(folder, "azure-conversation-2023.csv.gz");
            if (Files.exists(mooncake)) {
                all.put("mooncake", seed -> Workloads.mooncake(mooncake, seed, 1));
            }
            if (Files.exists(azure)) {
                all.put("azure, 6x", seed -> Workloads.azure(azure, seed, 6));
            }
        }
        return all;
    }

    static Map<String, LongFunction<Policy>> policies() {
        Map<String, LongFunction<Policy>> all = new LinkedHashMap<>();
        all.put("ours", seed -> ours(PickerConfiguration.builtIn(), seed));
        all.put("llm-d default", seed -> Policies.llmdDefault(REPLICAS, seed));
        all.put(
                "llm-d baseline",
                seed -> Policies.llmdBaseline(REPLICAS, seed, SimulatedReplica.Speed.H100_PAIR.tokensPerSecond()));
        all.put("least request", seed -> Policies.leastRequest(REPLICAS, seed));
        all.put("round robin", seed -> Policies.roundRobin(REPLICAS));
        all.put("random", seed -> Policies.random(REPLICAS, seed));
        return all;
    }

    private static void compare(String name, Source source, int seeds) throws IOException {
        Map<String, List<Simulation.Result>> results = new LinkedHashMap<>();
        for (long seed = 1; seed <= seeds; seed++) {
            List<Shape> workload = source.of(seed);
            for (Map.Entry<String, LongFunction<Policy>> policy : policies().entrySet()) {
                results.computeIfAbsent(policy.getKey(), ignored -> new ArrayList<>())
                        .add(Simulation.run(
                                workload, policy.getValue().apply(seed), REPLICAS, SimulatedReplica.Speed.H100_PAIR));
            }
        }
        results.forEach((policy, runs) -> System.out.println("| " + name + " | " + policy + " | "
                + spread(runs.stream().mapToDouble(Simulation.Result::hitRate).toArray()) + " | "
                + spread(runs.stream().mapToDouble(Simulation.Result::meanTtft).toArray()) + " | "
                + spread(runs.stream().mapToDouble(Simulation.Result::p50).toArray()) + " | "
                + spread(runs.stream().mapToDouble(Simulation.Result::p99).toArray()) + " | "
                + spread(runs.stream().mapToDouble(Simulation.Result::imbalance).toArray()) + " |"));
    }

    /** Mean and standard deviation over the seeds. */
    private static String spread(double[] values) {
        double mean = Arrays.stream(values).average().orElse(0);
        double variance = Arrays.stream(values)
                .map(v -> (v - mean) * (v - mean))
                .average()
                .orElse(0);
        return String.format(Locale.ROOT, "%.3f ± %.3f", mean, Math.sqrt(variance));
    }

    static Policy ours(PickerConfiguration configuration, long seed) {
        OurPolicy router = new OurPolicy(configuration, REPLICAS, seed);
        return new Policy() {
            @Override
            public int choose(int number, Shape shape, double time) {
                return router.choose(number, shape.inputTokens(), shape.prefix(), time);
            }

            @Override
            public void firstToken(int number, int replica, double time) {}

            @Override
            public void ended(int number, int replica, double time) {
                router.ended(number, time);
            }

            @Override
            public void report(int replica, EngineReport report, double time) {
                router.report(replica, report, time);
            }

            @Override
            public double reportInterval() {
                return 1;
            }
        };
    }
}
