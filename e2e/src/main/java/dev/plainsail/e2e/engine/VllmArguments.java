package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.ArgumentReader.Wrong;
import dev.plainsail.e2e.engine.EngineSettings.Cache;
import dev.plainsail.e2e.engine.EngineSettings.Dialect;
import dev.plainsail.e2e.engine.EngineSettings.Model;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * From a command line of {@code vllm serve} or of its module to settings. Every flag of vLLM is accepted as vLLM accepts it; only some
 * mean something here.
 */
final class VllmArguments {
    private static final int DEFAULT_LENGTH = 32_768;
    private static final int DEFAULT_BLOCK_SIZE = 16;
    private static final int DEFAULT_BLOCKS = 8_192;
    private static final FlagTable FLAGS = FlagTable.vllm(ArgumentReader.OWN);

    private final ArgumentReader read;

    private VllmArguments(ArgumentReader read) {
        this.read = read;
    }

    /** @param words without the program and {@code serve} */
    static EngineSettings parse(List<String> words, Map<String, String> environment) throws Wrong {
        return new VllmArguments(ArgumentReader.of(FLAGS, words, environment)).settings();
    }

    private EngineSettings settings() throws Wrong {
        for (String json :
                List.of("kv-events-config", "kv-transfer-config", "additional-config", "speculative-config")) {
            read.json(json);
        }
        Model model = model();
        Cache cache = cache(model);
        return new EngineSettings(
                Dialect.VLLM,
                new InetSocketAddress(read.last("host").orElse("0.0.0.0"), read.number("port", 8000, 0, 65_535)),
                read.tls(),
                read.all("api-key"),
                model,
                cache,
                new EngineCore.Limits(
                        read.number("max-num-seqs", 256, 1, 1 << 20),
                        read.number("max-num-batched-tokens", 8192, 1, 1 << 24)),
                read.time(),
                read.number("data-parallel-size", 1, 1, 1024),
                read.isOn("enable-prompt-tokens-details", false),
                true,
                read.isOn("headless", false),
                read.startDelay(),
                read.faults());
    }

    private Model model() throws Wrong {
        String root = read.line().positional().isEmpty()
                ? read.last("model").orElse("Qwen/Qwen3-0.6B")
                : read.line().positional().getFirst();
        List<String> names = read.all("served-model-name").isEmpty() ? List.of(root) : read.all("served-model-name");
        Map<String, String> adapters = new LinkedHashMap<>();
        for (String module : read.all("lora-modules")) {
            adapter(module, adapters);
        }
        boolean lora = read.isOn("enable-lora", false);
        String length = read.last("max-model-len").orElse("-1");
        int maxLength = length.equals("-1") || length.equals("auto")
                ? DEFAULT_LENGTH
                : ArgumentReader.human("max-model-len", length);
        return new Model(root, names, maxLength, lora ? read.number("max-loras", 1, 1, 1 << 16) : 0, adapters);
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
        int blockSize = read.number("block-size", DEFAULT_BLOCK_SIZE, 1, 1 << 16);
        Optional<String> given = read.last("num-gpu-blocks-override");
        int blocks = given.isPresent()
                ? read.number("num-gpu-blocks-override", 0, 1, 1 << 24)
                : Math.ceilDiv(Math.max(DEFAULT_BLOCKS * DEFAULT_BLOCK_SIZE, model.maxLength()), blockSize);
        if ((long) blocks * blockSize < model.maxLength()) {
            throw new Wrong("To serve at least one request with the model's max seq len (" + model.maxLength()
                    + "), more KV cache is needed than the available " + (long) blocks * blockSize
                    + " tokens. Try increasing `num_gpu_blocks_override` or decreasing `max_model_len`.");
        }
        double utilization = read.real("gpu-memory-utilization", "0.92");
        return new Cache(
                blockSize,
                read.last("block-size").isPresent(),
                blocks,
                given.isPresent(),
                read.isOn("enable-prefix-caching", true),
                utilization);
    }
}
