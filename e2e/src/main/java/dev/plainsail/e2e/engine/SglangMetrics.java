package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.EngineMetrics.Rank;
import dev.plainsail.e2e.engine.MetricsWriter.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The text of {@code /metrics} for an engine that was started as SGLang: the gauges that a picker reads, named and labelled as there. */
final class SglangMetrics {
    private SglangMetrics() {}

    static String text(EngineSettings settings, List<Rank> ranks) {
        double capacity = (double) settings.cache().blocks() * settings.cache().blockSize();
        MetricsWriter writer = new MetricsWriter(0);
        writer.gauge(
                "sglang:num_running_reqs",
                "The number of running requests.",
                each(settings, ranks, r -> r.core().running()));
        writer.gauge(
                "sglang:num_queue_reqs",
                "The number of requests in the waiting queue.",
                each(settings, ranks, r -> r.core().waiting()));
        writer.gauge(
                "sglang:token_usage",
                "The token usage.",
                each(settings, ranks, r -> r.core().cacheUsed()));
        writer.gauge(
                "sglang:num_used_tokens",
                "The number of used tokens.",
                each(settings, ranks, r -> r.core().cacheUsed() * capacity));
        writer.gauge(
                "sglang:max_total_num_tokens",
                "Maximum total number of tokens in the KV cache pool.",
                each(settings, ranks, _ -> capacity));
        return writer.text();
    }

    private static List<Series> each(EngineSettings settings, List<Rank> ranks, ToDoubleFunction<Rank> value) {
        List<Series> series = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            String dp = ranks.size() > 1 ? "dp_rank=\"" + i + "\"," : "";
            String labels = "{" + dp + "engine_type=\"unified\",model_name="
                    + MetricsWriter.quoted(settings.model().names().getFirst())
                    + ",moe_ep_rank=\"0\",pp_rank=\"0\",tp_rank=\"0\"}";
            series.add(new Series(labels, value.applyAsDouble(ranks.get(i))));
        }
        return series;
    }
}
