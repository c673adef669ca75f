package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.ArgumentReader.Wrong;
import dev.plainsail.e2e.engine.EngineSettings.Cache;
import dev.plainsail.e2e.engine.EngineSettings.Dialect;
import dev.plainsail.e2e.engine.EngineSettings.Model;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/**
 * From a command line of {@code python3 -m sglang.launch_server} to settings. Every flag of SGLang 0.5.23 is accepted as SGLang accepts
 * it; only some mean something here. Its radix cache is taken for blocks of one page.
 */
final class SglangArguments {
    private static final int DEFAULT_LENGTH = 32_768;
    private static final int DEFAULT_TOKENS = 131_072;
    private static final FlagTable FLAGS = FlagTable.sglang(ArgumentReader.OWN);

    private SglangArguments() {}

    /** @param words without the program */
    static EngineSettings parse(List<String> words, Map<String, String> environment) throws Wrong {
        ArgumentReader read = ArgumentReader.of(FLAGS, words, environment);
        String root = read.last("model-path")
                .orElseThrow(() -> new Wrong("the following arguments are required: --model-path/--model"));
        Model model = new Model(
                root,
                List.of(read.last("served-model-name").orElse(root)),
                read.number("context-length", DEFAULT_LENGTH, 1, 1 << 30),
                0,
                Map.of());
        int tokens = read.number("max-total-tokens", Math.max(DEFAULT_TOKENS, model.maxLength()), 1, 1 << 30);
        int page = read.number("page-size", 1, 1, 1 << 16);
        if (tokens / page < Math.ceilDiv(model.maxLength(), page)) {
            throw new Wrong("--max-total-tokens " + tokens + " is less than one request of --context-length "
                    + model.maxLength() + " needs");
        }
        return new EngineSettings(
                Dialect.SGLANG,
                new InetSocketAddress(read.last("host").orElse("127.0.0.1"), read.number("port", 30_000, 0, 65_535)),
                read.tls(),
                read.all("api-key"),
                model,
                new Cache(page, true, tokens / page, true, !read.isOn("disable-radix-cache", false), 0.9),
                new EngineCore.Limits(
                        read.number("max-running-requests", 256, 1, 1 << 20),
                        read.number("chunked-prefill-size", 8192, 1, 1 << 24)),
                read.time(),
                read.number("dp-size", 1, 1, 1024),
                read.isOn("enable-cache-report", false),
                read.isOn("enable-metrics", false),
                read.number("node-rank", 0, 0, 1 << 16) > 0,
                read.startDelay(),
                read.faults());
    }
}
