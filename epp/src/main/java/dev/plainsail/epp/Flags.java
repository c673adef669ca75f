package dev.plainsail.epp;

import dev.plainsail.epp.pool.PoolSelector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command line, in llm-d's words where it has them. Every value is taken as text first and checked here, so that all
 * mistakes are told at once.
 */
@Command(
        name = "plainsail-epp",
        description = "Chooses the endpoint of each inference request for an Envoy-based gateway.",
        mixinStandardHelpOptions = true,
        version = "plainsail-epp " + Flags.VERSION,
        sortOptions = false)
final class Flags {
    static final String VERSION = "0.1.0";

    /** llm-d's flags that have no meaning here but stand in manifests that are to work unchanged. */
    static final List<String> IGNORED = List.of(
            "--zap-encoder",
            "--zap-devel",
            "--zap-log-level",
            "--zap-stacktrace-level",
            "--zap-time-encoding",
            "--tracing",
            "--enable-pprof",
            "--metrics-endpoint-auth",
            "--health-checking",
            "--enable-grpc-stream-metrics",
            "--refresh-prometheus-metrics-interval",
            "--pool-group",
            "--grpc-max-send-msg-size",
            "--grpc-max-recv-msg-size",
            "--enable-cert-reload",
            "--ha-enable-leader-election",
            "--emit-endpoint-scores",
            "--disable-endpoint-subset-filter",
            "--refresh-metrics-interval",
            "--metrics-staleness-threshold");

    @Option(names = "--grpc-port", paramLabel = "PORT", description = "ext_proc and access log (default 9002)")
    String grpcPort = "9002";

    @Option(names = "--grpc-health-port", paramLabel = "PORT", description = "gRPC health, plaintext (default 9003)")
    String healthPort = "9003";

    @Option(names = "--metrics-port", paramLabel = "PORT", description = "HTTP: metrics and admin pages (default 9090)")
    String metricsPort = "9090";

    @Option(
            names = "--allow-experimental-plugins",
            paramLabel = "BOOLEAN",
            arity = "0..1",
            fallbackValue = "true",
            description = "accept plugins that llm-d calls Alpha (default false)")
    String allowExperimental = "false";

    @Option(
            names = "--secure-serving",
            paramLabel = "BOOLEAN",
            arity = "0..1",
            fallbackValue = "true",
            description = "TLS on the ext_proc port (default true)")
    String secureServing = "true";

    @Option(
            names = "--cert-path",
            paramLabel = "FOLDER",
            description =
                    "holds tls.crt and tls.key, read again when they change; without it a certificate is made at start")
    @Nullable
    String certPath;

    @Option(names = "--config-file", paramLabel = "FILE", description = "an EndpointPickerConfig")
    @Nullable
    String configFile;

    @Option(names = "--config-text", paramLabel = "YAML", description = "the same as text")
    @Nullable
    String configText;

    @Option(names = "--pool-name", paramLabel = "NAME", description = "the pool whose name the endpoints get")
    @Nullable
    String poolName;

    @Option(
            names = "--pool-namespace",
            paramLabel = "NAMESPACE",
            description = "where pods are watched (default: NAMESPACE of the environment, else all)")
    @Nullable
    String poolNamespace;

    @Option(names = "--endpoint-selector", paramLabel = "SELECTOR", description = "label selector of the pool's pods")
    @Nullable
    String endpointSelector;

    @Option(
            names = "--endpoint-target-ports",
            paramLabel = "PORTS",
            description = "ports of the pool's pods, comma separated")
    @Nullable
    String endpointPorts;

    @Option(
            names = "--pool",
            paramLabel = "POOL",
            description = "name=NAME,selector=KEY=VALUE,port=8000; may be repeated")
    List<String> pools = new ArrayList<>();

    @Option(
            names = "--endpoints-file",
            paramLabel = "FILE",
            description = "endpoints in llm-d's file-discovery form, watched; no Kubernetes then")
    @Nullable
    String endpointsFile;

    @Option(names = "--max-request-body", paramLabel = "SIZE", description = "longer bodies get 413 (default 32MiB)")
    String maxBody = "32MiB";

    @Option(
            names = "--max-held-bodies",
            paramLabel = "SIZE",
            description = "memory for all bodies together; more get 503 (default 40%% of the heap)")
    @Nullable
    String maxHeld;

    @Option(names = "--decision-timeout", paramLabel = "DURATION", description = "then 503 (default 60s)")
    String decisionTimeout = "60s";

    @Option(
            names = "--drain-timeout",
            paramLabel = "DURATION",
            description = "how long running streams may take when the picker stops (default 30s)")
    String drainTimeout = "30s";

    @Option(
            names = "--warm-up",
            paramLabel = "DURATION",
            description = "longest time spent on streams of its own before it is ready; 0s: none (default 3s)")
    String warmUp = "3s";

    @Option(
            names = "--endpoint-header",
            paramLabel = "BOOLEAN",
            arity = "0..1",
            fallbackValue = "true",
            description = "name the endpoint in response headers that pass through the picker (default true)")
    String endpointHeader = "true";

    @Option(names = "--event-loops", paramLabel = "NUMBER", description = "default: one a core")
    @Nullable
    String eventLoops;

    @Option(
            names = "--response-usage",
            paramLabel = "BOOLEAN",
            arity = "0..1",
            fallbackValue = "true",
            description = "read token counts from answers that pass through the picker (default false)")
    String responseUsage = "false";

    @Option(
            names = "--explain",
            paramLabel = "BOOLEAN",
            arity = "0..1",
            fallbackValue = "true",
            description = "tell clients that ask for it why an endpoint was chosen (default false)")
    String explain = "false";

    @Option(
            names = "--decision-log",
            paramLabel = "SHARE",
            description = "share of requests whose decision is logged, 0 to 1 (default 0)")
    String decisionLog = "0";

    @Option(
            names = "--engine-token-file",
            paramLabel = "FILE",
            description = "bearer token for what the picker asks of engines, read again when it changes")
    @Nullable
    String engineTokenFile;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "settings in YAML: each key is a flag without its dashes; flags count more")
    @Nullable
    String settingsFile;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            description = "of random choices; the same seed, the same decisions")
    String seed = "0";

    @Option(names = "--validate", description = "check the settings and end")
    boolean validate;

    @Option(
            names = {"-v", "--v"},
            hidden = true,
            paramLabel = "LEVEL")
    @Nullable
    String verbosity;

    private final List<String> problems = new ArrayList<>();
    private final FlagValues values = new FlagValues(problems);
    private final List<String> withoutEffect = new ArrayList<>();

    /** What comes of a command line. */
    sealed interface Result {
        record Valid(Settings settings) implements Result {}

        /** Nothing to do but to print this. */
        record Text(String text) implements Result {}

        record Invalid(List<String> problems) implements Result {
            public Invalid {
                problems = List.copyOf(problems);
            }
        }
    }

    static Result read(String[] arguments, Map<String, String> environment, int processors, long maxHeap) {
        Flags flags = new Flags();
        CommandLine commandLine = new CommandLine(flags).setUnmatchedArgumentsAllowed(true);
        List<String> kept = new ArrayList<>();
        flags.dropIgnored(withSettingsFile(arguments, commandLine, flags.problems), kept);
        try {
            CommandLine.ParseResult parsed = commandLine.parseArgs(kept.toArray(String[]::new));
            if (parsed.isUsageHelpRequested()) {
                return new Result.Text(commandLine.getUsageMessage());
            }
            if (parsed.isVersionHelpRequested()) {
                return new Result.Text(
                        String.join("\n", commandLine.getCommandSpec().version()) + "\n");
            }
            for (String unknown : parsed.unmatched()) {
                flags.problems.add(unknown + ": unknown; --help lists what there is");
            }
        } catch (CommandLine.ParameterException e) {
            flags.problems.add(String.valueOf(e.getMessage()));
        }
        Settings settings = flags.settings(environment, processors, maxHeap);
        return settings == null || !flags.problems.isEmpty()
                ? new Result.Invalid(flags.problems)
                : new Result.Valid(settings);
    }

    /** The command line with what the settings file says of flags that are not on it. */
    private static String[] withSettingsFile(String[] arguments, CommandLine commandLine, List<String> problems) {
        Set<String> given = new HashSet<>();
        Path file = null;
        for (int i = 0; i < arguments.length; i++) {
            String name = name(arguments[i]);
            given.add(name);
            if (name.equals("--config")) {
                boolean separate = name.equals(arguments[i]);
                String value =
                        separate ? (i + 1 < arguments.length ? arguments[i + 1] : "") : arguments[i].substring(9);
                file = Path.of(value);
            }
        }
        if (file == null) {
            return arguments;
        }
        Set<String> known = new TreeSet<>(IGNORED);
        commandLine.getCommandSpec().options().stream()
                .filter(option -> option.arity().max() > 0)
                .forEach(option -> known.add(option.longestName()));
        known.remove("--config");
        List<String> keys = known.stream().map(name -> name.substring(2)).toList();
        List<String> all = new ArrayList<>(List.of(arguments));
        SettingsFile.read(file, keys, problems).forEach((key, values) -> {
            if (!given.contains("--" + key)) {
                values.forEach(value -> all.add("--" + key + "=" + value));
            }
        });
        return all.toArray(String[]::new);
    }

    private static String name(String argument) {
        return argument.contains("=") ? argument.substring(0, argument.indexOf('=')) : argument;
    }

    private void dropIgnored(String[] arguments, List<String> kept) {
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            String name = name(argument);
            if (!IGNORED.contains(name)) {
                kept.add(argument);
                continue;
            }
            withoutEffect.add(argument);
            if (name.equals(argument) && i + 1 < arguments.length && !arguments[i + 1].startsWith("-")) {
                i++;
            }
        }
    }

    private @Nullable Settings settings(Map<String, String> environment, int processors, long maxHeap) {
        String text = configuration();
        List<PoolSelector> selectors = selectors();
        String namespace = poolNamespace != null ? poolNamespace : environment.get("NAMESPACE");
        String host = environment.get("POD_IP");
        return new Settings(
                host == null || host.isBlank() ? null : host,
                values.port("--grpc-port", grpcPort),
                values.port("--grpc-health-port", healthPort),
                values.port("--metrics-port", metricsPort),
                values.bool("--secure-serving", secureServing),
                values.folder("--cert-path", certPath),
                configFile == null ? null : Path.of(configFile),
                text,
                values.bool("--allow-experimental-plugins", allowExperimental),
                endpointsFile == null,
                namespace == null || namespace.isBlank() ? null : namespace,
                selectors,
                endpointsFile == null ? null : Path.of(endpointsFile),
                poolName == null ? "default" : poolName,
                values.size("--max-request-body", maxBody),
                maxHeld == null ? maxHeap / 5 * 2 : values.size("--max-held-bodies", maxHeld),
                values.duration("--decision-timeout", decisionTimeout),
                values.duration("--drain-timeout", drainTimeout),
                values.duration("--warm-up", warmUp),
                values.bool("--endpoint-header", endpointHeader),
                values.bool("--response-usage", responseUsage),
                values.bool("--explain", explain),
                values.share("--decision-log", decisionLog),
                values.file("--engine-token-file", engineTokenFile),
                eventLoops == null ? processors : values.number("--event-loops", eventLoops, 1, 1024),
                values.number("--seed", seed, Integer.MIN_VALUE, Integer.MAX_VALUE),
                validate,
                withoutEffect);
    }

    private @Nullable String configuration() {
        if (configFile == null) {
            return configText;
        }
        if (configText != null) {
            problems.add("--config-text: give either it or --config-file, not both");
        }
        try {
            return Files.readString(Path.of(configFile));
        } catch (IOException e) {
            problems.add("--config-file: cannot read " + configFile + ": " + e);
            return null;
        }
    }

    private List<PoolSelector> selectors() {
        List<PoolSelector> selectors = new ArrayList<>();
        List<String> texts = new ArrayList<>(pools);
        if (endpointSelector != null) {
            String ports = endpointPorts == null ? "" : ",port=" + endpointPorts.replace(',', '/');
            texts.add("name=" + (poolName == null ? "default" : poolName) + ports + ",selector=" + endpointSelector);
        }
        for (String each : texts) {
            List<String> wrong = new ArrayList<>();
            PoolSelector selector = PoolSelector.parse(each, wrong);
            wrong.forEach(problem -> problems.add("--pool: " + problem));
            if (selector != null) {
                selectors.add(selector);
            }
        }
        return selectors;
    }
}
