package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.MetricsWriter.Buckets;
import dev.plainsail.e2e.engine.MetricsWriter.Series;
import dev.plainsail.e2e.engine.Sequence.FinishReason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The text of {@code /metrics}: every {@code vllm:} family of vLLM 0.32 with its labels, in its order. What a simulated engine does not
 * have (images, transfers from other instances, floating point operations) stays 0, as it does in a vLLM that does not use it. The
 * families of vLLM's web server and Python runtime are left out.
 */
final class EngineMetrics {
    /** One data-parallel rank: its core and what it has done. */
    record Rank(EngineCore core, EngineStats stats) {}

    /** How many LoRA adapters may be used at once, and when (seconds since 1970) each combination of them was last seen. */
    record Lora(int max, Map<List<String>, Double> seenAt) {
        Lora(int max) {
            this(max, new LinkedHashMap<>());
        }

        void see(List<Rank> ranks, double now) {
            for (Rank rank : ranks) {
                List<String> names = rank.core().adapters().stream()
                        .map(set -> String.join(",", set))
                        .toList();
                seenAt.put(names, now);
            }
        }
    }

    private final String model;
    private final List<Rank> ranks;
    private final MetricsWriter writer;

    private EngineMetrics(String model, List<Rank> ranks, double createdAt) {
        this.model = "model_name=" + MetricsWriter.quoted(model);
        this.ranks = ranks;
        this.writer = new MetricsWriter(createdAt);
    }

    /** @param cacheConfig labels of {@code vllm:cache_config_info} other than {@code engine} */
    static String text(
            String model, List<Rank> ranks, Map<String, String> cacheConfig, Optional<Lora> lora, double createdAt) {
        EngineMetrics metrics = new EngineMetrics(model, ranks, createdAt);
        metrics.estimates();
        metrics.state();
        metrics.prefixCache();
        metrics.tokens();
        metrics.requests();
        metrics.sizes();
        metrics.times();
        metrics.lora(lora);
        metrics.cacheConfig(cacheConfig);
        return metrics.writer.text();
    }

    private void estimates() {
        String purpose = " per GPU (for Model Flops Utilization calculations).";
        zero("estimated_flops_per_gpu", "Estimated number of floating point operations" + purpose);
        zero("estimated_read_bytes_per_gpu", "Estimated number of bytes read from memory" + purpose);
        zero("estimated_write_bytes_per_gpu", "Estimated number of bytes written to memory" + purpose);
    }

    private void state() {
        gauge(
                "num_requests_running",
                "Number of requests in model execution batches.",
                r -> r.core().running());
        gauge(
                "num_requests_waiting",
                "Number of requests waiting to be processed.",
                r -> r.core().waiting());
        writer.gauge(
                "vllm:num_requests_waiting_by_reason",
                "Number of waiting requests by reason. Reason labels: 'capacity' = waiting for scheduling capacity; 'deferred' ="
                        + " deferred by transient constraints (LoRA budget, KV transfer, blocked status). Sum of all reasons equals"
                        + " vllm:num_requests_waiting.",
                byLabel("reason", r -> values("capacity", r.core().waiting(), "deferred", 0)));
        writer.gauge(
                "vllm:engine_sleep_state",
                "Engine sleep state; awake = 0 means engine is sleeping; awake = 1 means engine is awake; weights_offloaded = 1"
                        + " means sleep level 1; discard_all = 1 means sleep level 2.",
                byLabel("sleep_state", _ -> values("awake", 1, "weights_offloaded", 0, "discard_all", 0)));
        gauge(
                "kv_cache_usage_perc",
                "KV-cache usage. 1 means 100 percent usage.",
                r -> r.core().cacheUsed());
    }

    private void prefixCache() {
        String unit = "queries, in terms of number of queried ";
        String hits = "hits, in terms of number of cached ";
        String external = "External prefix cache ";
        String from = " from KV connector cross-instance cache sharing, in terms of number of ";
        counter("prefix_cache_queries", "Prefix cache " + unit + "tokens.", s -> s.prefixQueries);
        counter("prefix_cache_hits", "Prefix cache " + hits + "tokens.", s -> s.prefixHits);
        zero("external_prefix_cache_queries", external + "queries" + from + "queried tokens.");
        zero("external_prefix_cache_hits", external + "hits" + from + "cached tokens.");
        zero("mm_cache_queries", "Multi-modal cache " + unit + "items.");
        zero("mm_cache_hits", "Multi-modal cache " + hits + "items.");
    }

    private void tokens() {
        counter("num_preemptions", "Cumulative number of preemption from the engine.", s -> s.preemptions);
        counter("prompt_tokens", "Number of prefill tokens processed.", s -> s.promptTokens);
        writer.counter(
                "vllm:prompt_tokens_by_source_total",
                "Number of prompt tokens by source.",
                byLabel(
                        "source",
                        r -> values(
                                "local_compute",
                                r.stats().promptTokens - r.stats().promptTokensCached,
                                "local_cache_hit",
                                r.stats().promptTokensCached,
                                "external_kv_transfer",
                                0)));
        counter(
                "prompt_tokens_cached",
                "Number of cached prompt tokens (local + external).",
                s -> s.promptTokensCached);
        writer.counter(
                "vllm:prompt_tokens_cached_by_source_total",
                "Prefix-cache hit tokens by the cache tier that supplied them: device (local HBM), host (offloaded to DRAM), disk, p2p"
                        + " (transferred from another vLLM instance) or external_unspecified. Counted at admission; sums to"
                        + " vllm:prefix_cache_hits + vllm:external_prefix_cache_hits.",
                byLabel(
                        "source",
                        r -> values(
                                "device", r.stats().prefixHits,
                                "host", 0,
                                "p2p", 0,
                                "disk", 0,
                                "external_unspecified", 0)));
        counter("generation_tokens", "Number of generation tokens processed.", s -> s.generationTokens);
    }

    private void requests() {
        writer.counter(
                "vllm:request_success_total",
                "Count of successfully processed requests.",
                byLabel(
                        "finished_reason",
                        r -> Arrays.stream(FinishReason.values())
                                .collect(Collectors.toMap(
                                        reason -> reason.text,
                                        reason -> (double) r.stats().finished.getOrDefault(reason, 0L),
                                        (a, _) -> a,
                                        LinkedHashMap::new))));
        writer.counter(
                "vllm:admission_rejections_total",
                "Number of admission attempts rejected by a queue limit, by reason.",
                List.of(
                        new Series("{" + model + ",reason=\"max_num_queued_reqs\"}", 0),
                        new Series("{" + model + ",reason=\"max_num_queued_tokens\"}", 0)));
    }

    private void sizes() {
        histogram("request_prompt_tokens", "Number of prefill tokens processed.", s -> s.requestPromptTokens);
        histogram(
                "request_generation_tokens", "Number of generation tokens processed.", s -> s.requestGenerationTokens);
        histogram("iteration_tokens_total", "Histogram of number of tokens per engine_step.", s -> s.iterationTokens);
        histogram(
                "request_max_num_generation_tokens",
                "Histogram of maximum number of requested generation tokens.",
                s -> s.maxGenerationTokens);
        histogram("request_params_n", "Histogram of the n request parameter.", s -> s.paramsN);
        histogram(
                "request_params_max_tokens", "Histogram of the max_tokens request parameter.", s -> s.paramsMaxTokens);
    }

    private void times() {
        String spent = "Histogram of time spent in ";
        histogram(
                "time_to_first_token_seconds", "Histogram of time to first token in seconds.", s -> s.timeToFirstToken);
        histogram(
                "inter_token_latency_seconds",
                "Histogram of inter-token latency in seconds.",
                s -> s.interTokenLatency);
        histogram(
                "request_time_per_output_token_seconds",
                "Histogram of time_per_output_token_seconds per request.",
                s -> s.timePerOutputToken);
        histogram("e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.", s -> s.requestLatency);
        histogram("request_queue_time_seconds", spent + "WAITING phase for request.", s -> s.queueTime);
        histogram("request_inference_time_seconds", spent + "RUNNING phase for request.", s -> s.inferenceTime);
        histogram("request_prefill_time_seconds", spent + "PREFILL phase for request.", s -> s.prefillTime);
        histogram("request_decode_time_seconds", spent + "DECODE phase for request.", s -> s.decodeTime);
        histogram(
                "request_num_preemptions",
                "Histogram of the number of times a request was preempted.",
                s -> s.requestPreemptions);
        histogram(
                "request_prefill_kv_computed_tokens",
                "Histogram of new KV tokens computed during prefill (excluding cached tokens).",
                s -> s.prefillComputedTokens);
    }

    private void lora(Optional<Lora> lora) {
        lora.ifPresent(adapters -> {
            List<Series> series = new ArrayList<>();
            adapters.seenAt()
                    .forEach((names, at) -> series.add(new Series(
                            "{max_lora=\"" + adapters.max() + "\",running_lora_adapters="
                                    + MetricsWriter.quoted(names.get(0)) + ",waiting_lora_adapters="
                                    + MetricsWriter.quoted(names.get(1)) + "}",
                            at)));
            writer.gauge("vllm:lora_requests_info", "Running stats on lora requests.", series);
        });
    }

    private void cacheConfig(Map<String, String> labels) {
        List<Series> series = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            Map<String, String> all = new TreeMap<>(labels);
            all.put("engine", Integer.toString(i));
            series.add(new Series(
                    all.entrySet().stream()
                            .map(e -> e.getKey() + "=" + MetricsWriter.quoted(e.getValue()))
                            .collect(Collectors.joining(",", "{", "}")),
                    1));
        }
        writer.gauge("vllm:cache_config_info", "Information of the LLMEngine CacheConfig", series);
    }

    private void gauge(String name, String help, ToDoubleFunction<Rank> value) {
        writer.gauge("vllm:" + name, help, byRank(value));
    }

    private void counter(String name, String help, ToDoubleFunction<EngineStats> value) {
        writer.counter("vllm:" + name + "_total", help, byRank(r -> value.applyAsDouble(r.stats())));
    }

    private void zero(String name, String help) {
        counter(name, help, _ -> 0);
    }

    private void histogram(String name, String help, Function<EngineStats, Histogram> value) {
        List<Buckets> all = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            all.add(new Buckets(
                    "engine=\"" + i + "\"", model, value.apply(ranks.get(i).stats())));
        }
        writer.histogram("vllm:" + name, help, all);
    }

    private List<Series> byRank(ToDoubleFunction<Rank> value) {
        List<Series> series = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            series.add(new Series("{engine=\"" + i + "\"," + model + "}", value.applyAsDouble(ranks.get(i))));
        }
        return series;
    }

    /** One more label, whose values are the keys of the map; labels are written in alphabetical order. */
    private List<Series> byLabel(String label, Function<Rank, Map<String, Double>> values) {
        List<Series> series = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            String engine = "engine=\"" + i + "\"";
            values.apply(ranks.get(i)).forEach((key, value) -> {
                String one = label + "=" + MetricsWriter.quoted(key);
                String rest = label.compareTo("model_name") < 0 ? one + "," + model : model + "," + one;
                series.add(new Series("{" + engine + "," + rest + "}", value));
            });
        }
        return series;
    }

    /** Pairs of a label value and a number. */
    private static Map<String, Double> values(Object... pairs) {
        Map<String, Double> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put((String) pairs[i], ((Number) pairs[i + 1]).doubleValue());
        }
        return map;
    }
}
