package dev.plainsail.epp.configuration;

import dev.plainsail.epp.datalayer.MetricSpec;
import dev.plainsail.epp.datalayer.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Metric names of the user's own engines, {@code engineConfigs}, besides the built-in ones. */
record OwnMetrics(List<MetricSpec> specs) {
    private static final Map<String, Quantity> WORDS = Map.of(
            "queuedRequestsSpec", Quantity.WAITING,
            "runningRequestsSpec", Quantity.RUNNING,
            "kvUsageSpec", Quantity.KV_USED,
            "loraSpec", Quantity.LORA_INFO,
            "cacheInfoSpec", Quantity.CACHE_INFO,
            "cacheBlockSizeSpec", Quantity.KV_BLOCK_TOKENS,
            "cacheNumBlocksSpec", Quantity.KV_BLOCKS);

    OwnMetrics {
        specs = List.copyOf(specs);
    }

    static OwnMetrics read(Parameters p) {
        p.accepted("engineLabelKey", "defaultEngine");
        List<MetricSpec> specs = new ArrayList<>();
        for (Parameters engine : p.objects("engineConfigs")) {
            if (engine.text("name", null).equals("default")) {
                engine.problem("name", "'default' is reserved; write another name");
            }
            WORDS.forEach((word, quantity) -> spec(engine, word, quantity, "", specs));
            labelName(engine, "cacheBlockSizeLabelName", Set.of("block_size", "page_size"), "cacheBlockSizeSpec");
            labelName(engine, "cacheNumBlocksLabelName", Set.of("num_gpu_blocks", "num_pages"), "cacheNumBlocksSpec");
            for (Parameters custom : engine.objects("customMetrics")) {
                spec(custom, "metricSpec", Quantity.ATTRIBUTE, custom.text("attributeKey", null), specs);
                custom.done();
            }
            engine.done();
        }
        return new OwnMetrics(specs);
    }

    private static void spec(Parameters p, String word, Quantity quantity, String attribute, List<MetricSpec> into) {
        String text = p.text(word, "");
        if (text.isEmpty()) {
            return;
        }
        MetricSpec.parse(text, quantity, attribute)
                .ifPresentOrElse(
                        into::add, () -> p.problem(word, "'" + text + "': write name, or name{label=value,...}"));
    }

    private static void labelName(Parameters p, String word, Set<String> read, String instead) {
        String text = p.text(word, "");
        if (!text.isEmpty() && !read.contains(text)) {
            p.problem(word, "'" + text + "' is not read; write " + String.join(" or ", read) + ", or use " + instead);
        }
    }
}
