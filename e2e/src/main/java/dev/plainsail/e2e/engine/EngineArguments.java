package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.EngineSettings.Cache;
import dev.plainsail.e2e.engine.EngineSettings.Model;
import dev.plainsail.e2e.engine.EngineSettings.Tls;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * From a command line of {@code vllm serve} or of its module to settings. Every flag of vLLM is accepted as vLLM accepts it; only some
 * mean something here. Ours begin with {@code --sim-}; each is also an environment variable, {@code SIM_TIME_FACTOR} for
 * {@code --sim-time-factor}.
 */
final class EngineArguments {
    static final List<String> OWN = List.of(
            "sim-time-factor",
            "sim-prefill-rate",
            "sim-step-ms",
            "sim-step-per-sequence-ms",
            "sim-start-delay",
            "sim-fail-status",
            "sim-reset-after-tokens",
            "sim-hang",
            "sim-count",
            "sim-unhealthy",
            "sim-metrics");

    private static final int DEFAULT_LENGTH = 32_768;
    private static final int DEFAULT_BLOCK_SIZE = 16;
    private static final int DEFAULT_BLOCKS = 8_192;
    private static final FlagTable FLAGS = FlagTable.vllm(OWN);
    private static final Pattern HUMAN = Pattern.compile("(\\d+)(\\.\\d+)?([kKmMgGtT])?");

    /** A mistake in the command line, worded for the user. */
    static final class Wrong extends Exception {
        private static final long serialVersionUID = 1;

        Wrong(String message) {
            super(message);
        }
    }

    private final CommandLine line;
    private final Map<String, String> environment;

    private EngineArguments(CommandLine line, Map<String, String> environment) {
        this.line = line;
        this.environment = environment;
    }

    /** @param words without the program and {@code serve} */
    static EngineSettings parse(List<String> words, Map<String, String> environment) throws Wrong {
        CommandLine line = CommandLine.parse(FLAGS, words);
        if (line.problem().isPresent()) {
            throw new Wrong(line.problem().get());
        }
        return new EngineArguments(line, environment).settings();
    }

    private EngineSettings settings() throws Wrong {
        for (String json :
                List.of("kv-events-config", "kv-transfer-config", "additional-config", "speculative-config")) {
            json(json);
        }
        Model model = model();
        Cache cache = cache(model);
        return new EngineSettings(
                new InetSocketAddress(line.last("host").orElse("0.0.0.0"), number("port", 8000, 0, 65_535)),
                tls(),
                line.all("api-key"),
                model,
                cache,
                new EngineCore.Limits(
                        number("max-num-seqs", 256, 1, 1 << 20), number("max-num-batched-tokens", 8192, 1, 1 << 24)),
                time(),
                number("data-parallel-size", 1, 1, 1024),
                isOn("enable-prompt-tokens-details", false),
                isOn("headless", false),
                startDelay(),
                faults());
    }

    private Model model() throws Wrong {
        String root = line.positional().isEmpty()
                ? line.last("model").orElse("Qwen/Qwen3-0.6B")
                : line.positional().getFirst();
        List<String> names = line.all("served-model-name").isEmpty() ? List.of(root) : line.all("served-model-name");
        Map<String, String> adapters = new LinkedHashMap<>();
        for (String module : line.all("lora-modules")) {
            adapter(module, adapters);
        }
        boolean lora = isOn("enable-lora", false);
        String length = line.last("max-model-len").orElse("-1");
        int maxLength = length.equals("-1") || length.equals("auto") ? DEFAULT_LENGTH : human("max-model-len", length);
        return new Model(root, names, maxLength, lora ? number("max-loras", 1, 1, 1 << 16) : 0, adapters);
    }

    private static void adapter(String module, Map<String, String> into) throws Wrong {
        int equals = module.indexOf('=');
        if (equals > 0 && !module.startsWith("{")) {
            into.put(module.substring(0, equals), module.substring(equals + 1));
            return;
        }
        try {
            JsonNode json = JsonMapper.shared().readTree(module);
            into.put(json.required("name").stringValue(), json.required("path").stringValue());
        } catch (JacksonException | IllegalArgumentException e) {
            throw new Wrong("argument --lora-modules: Invalid fields for LoRAModulePath: " + module);
        }
    }

    private Cache cache(Model model) throws Wrong {
        int blockSize = number("block-size", DEFAULT_BLOCK_SIZE, 1, 1 << 16);
        Optional<String> given = line.last("num-gpu-blocks-override");
        int blocks = given.isPresent()
                ? number("num-gpu-blocks-override", 0, 1, 1 << 24)
                : Math.ceilDiv(Math.max(DEFAULT_BLOCKS * DEFAULT_BLOCK_SIZE, model.maxLength()), blockSize);
        if ((long) blocks * blockSize < model.maxLength()) {
            throw new Wrong("To serve at least one request with the model's max seq len (" + model.maxLength()
                    + "), more KV cache is needed than the available " + (long) blocks * blockSize
                    + " tokens. Try increasing `num_gpu_blocks_override` or decreasing `max_model_len`.");
        }
        double utilization = real("gpu-memory-utilization", "0.92");
        return new Cache(
                blockSize,
                line.last("block-size").isPresent(),
                blocks,
                given.isPresent(),
                isOn("enable-prefix-caching", true),
                utilization);
    }

    private Optional<Tls> tls() throws Wrong {
        Optional<String> certificate = line.last("ssl-certfile");
        Optional<String> key = line.last("ssl-keyfile");
        if (certificate.isPresent() != key.isPresent()) {
            throw new Wrong("To enable SSL, both --ssl-certfile and --ssl-keyfile are needed");
        }
        return certificate.map(c -> new Tls(Path.of(c), Path.of(key.orElseThrow())));
    }

    private TimeModel time() throws Wrong {
        try {
            return new TimeModel(
                    Double.parseDouble(own("sim-prefill-rate").orElse("10000")),
                    millis(own("sim-step-ms").orElse("8")),
                    millis(own("sim-step-per-sequence-ms").orElse("0.1")),
                    Double.parseDouble(own("sim-time-factor").orElse("1")));
        } catch (IllegalArgumentException e) {
            throw new Wrong("the simulated engine's times: " + e.getMessage());
        }
    }

    private static Duration millis(String text) {
        return Duration.ofNanos(Math.round(Double.parseDouble(text) * 1e6));
    }

    private Duration startDelay() throws Wrong {
        try {
            return millis(own("sim-start-delay").map(seconds -> seconds + "e3").orElse("0"));
        } catch (NumberFormatException e) {
            throw new Wrong("--sim-start-delay takes seconds, like 2.5");
        }
    }

    private Faults faults() throws Wrong {
        Map<String, String> changes = new HashMap<>();
        for (String fault : List.of("fail-status", "reset-after-tokens", "hang", "count", "unhealthy", "metrics")) {
            own("sim-" + fault).ifPresent(value -> changes.put(fault, value));
        }
        try {
            return Faults.NONE.with(changes);
        } catch (IllegalArgumentException e) {
            throw new Wrong("the simulated engine's faults: " + e.getMessage());
        }
    }

    private Optional<String> own(String flag) {
        return line.last(flag)
                .or(() -> Optional.ofNullable(
                        environment.get(flag.toUpperCase(Locale.ROOT).replace('-', '_'))));
    }

    private boolean isOn(String flag, boolean otherwise) {
        return line.last(flag).map(Boolean::parseBoolean).orElse(otherwise);
    }

    private void json(String flag) throws Wrong {
        Optional<String> text = line.last(flag).filter(value -> !value.isEmpty());
        if (text.isPresent()) {
            try {
                JsonMapper.shared().readTree(text.get());
            } catch (JacksonException e) {
                throw new Wrong("argument --" + flag + ": Value " + text.get() + " cannot be converted to JSON.");
            }
        }
    }

    private int number(String flag, int otherwise, int min, int max) throws Wrong {
        Optional<String> text = line.last(flag);
        if (text.isEmpty()) {
            return otherwise;
        }
        int value = human(flag, text.get());
        if (value < min || value > max) {
            throw new Wrong("argument --" + flag + ": " + value + " is not between " + min + " and " + max);
        }
        return value;
    }

    /** Whole numbers, also as 1k (1,000), 1K (1,024), 2.5m. */
    private static int human(String flag, String text) throws Wrong {
        Matcher matcher = HUMAN.matcher(text);
        String unit = matcher.matches() && matcher.group(3) != null ? matcher.group(3) : "";
        boolean binary = !unit.isEmpty() && Character.isUpperCase(unit.charAt(0));
        if (!matcher.matches() || (matcher.group(2) != null && (unit.isEmpty() || binary))) {
            throw new Wrong("argument --" + flag + ": invalid int value: '" + text + "'");
        }
        int power = unit.isEmpty() ? 0 : "kmgt".indexOf(unit.toLowerCase(Locale.ROOT)) + 1;
        double number = Double.parseDouble(matcher.group(1) + (matcher.group(2) == null ? "" : matcher.group(2)));
        double value = number * Math.pow(binary ? 1024 : 1000, power);
        if (value > Integer.MAX_VALUE) {
            throw new Wrong("argument --" + flag + ": " + text + " is too large for a simulated engine");
        }
        return (int) value;
    }

    private double real(String flag, String otherwise) throws Wrong {
        String text = line.last(flag).orElse(otherwise);
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new Wrong("argument --" + flag + ": invalid float value: '" + text + "'");
        }
    }
}
