package dev.plainsail.epp.datalayer;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A metric that is read: its name, the labels that it must carry, and what it means.
 *
 * @param labels all of them must match
 * @param attribute under which name its value is kept, for {@link Quantity#ATTRIBUTE}
 * @param own written by the user: where a text has such metrics, the built-in ones of the same meaning do not count
 */
public record MetricSpec(String name, Map<String, String> labels, Quantity quantity, String attribute, boolean own) {
    private static final Pattern TEXT = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{([^{}]*)})?");

    public MetricSpec {
        labels = Map.copyOf(labels);
    }

    /** vLLM, SGLang, TensorRT-LLM and Triton; their names do not overlap, so one list reads them all. */
    static final List<MetricSpec> KNOWN = List.of(
            plain("vllm:num_requests_waiting", Quantity.WAITING),
            plain("vllm:num_requests_running", Quantity.RUNNING),
            plain("vllm:kv_cache_usage_perc", Quantity.KV_USED),
            plain("vllm:gpu_cache_usage_perc", Quantity.KV_USED_OLD),
            plain("vllm:cache_config_info", Quantity.CACHE_INFO),
            plain("vllm:lora_requests_info", Quantity.LORA_INFO),
            plain("vllm:request_prefill_kv_computed_tokens_sum", Quantity.PREFILL_TOKENS),
            plain("vllm:request_prefill_time_seconds_sum", Quantity.PREFILL_SECONDS),
            plain("vllm:request_prefill_time_seconds_count", Quantity.PREFILL_REQUESTS),
            labelled("vllm:prompt_tokens_by_source_total", "source", "local_compute", Quantity.COMPUTED_PROMPT_TOKENS),
            plain("vllm:prefix_cache_queries_total", Quantity.PREFIX_QUERIED_TOKENS),
            plain("vllm:prefix_cache_hits_total", Quantity.PREFIX_HIT_TOKENS),
            plain("vllm:time_to_first_token_seconds_count", Quantity.FIRST_TOKENS),
            plain("sglang:time_to_first_token_seconds_count", Quantity.FIRST_TOKENS),
            plain("process_start_time_seconds", Quantity.PROCESS_START),
            plain("sglang:num_queue_reqs", Quantity.WAITING),
            plain("sglang:num_running_reqs", Quantity.RUNNING),
            plain("sglang:token_usage", Quantity.KV_USED),
            plain("sglang:cache_config_info", Quantity.CACHE_INFO),
            plain("trtllm_num_requests_waiting", Quantity.WAITING),
            plain("trtllm_num_requests_running", Quantity.RUNNING),
            plain("trtllm_kv_cache_utilization", Quantity.KV_USED),
            plain("trtllm_kv_cache_tokens_per_block", Quantity.KV_BLOCK_TOKENS),
            plain("trtllm_kv_cache_max_blocks", Quantity.KV_BLOCKS),
            labelled("nv_trt_llm_request_metrics", "request_type", "waiting", Quantity.WAITING),
            labelled("nv_trt_llm_request_metrics", "request_type", "scheduled", Quantity.RUNNING),
            labelled("nv_trt_llm_kv_cache_block_metrics", "kv_cache_block_type", "fraction", Quantity.KV_USED),
            labelled(
                    "nv_trt_llm_kv_cache_block_metrics", "kv_cache_block_type", "tokens_per", Quantity.KV_BLOCK_TOKENS),
            labelled("nv_trt_llm_kv_cache_block_metrics", "kv_cache_block_type", "max", Quantity.KV_BLOCKS),
            plain("nv_inference_pending_request_count", Quantity.WAITING));

    boolean matches(Map<String, String> found) {
        for (Map.Entry<String, String> wanted : labels.entrySet()) {
            if (!wanted.getValue().equals(found.get(wanted.getKey()))) {
                return false;
            }
        }
        return true;
    }

    /** {@code name} or {@code name{label=value,...}}, values quoted or not; empty if the text is neither. */
    public static Optional<MetricSpec> parse(String text, Quantity quantity, String attribute) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Map<String, String> labels = new HashMap<>();
        String list = matcher.group(2);
        for (String pair : list == null || list.isBlank() ? new String[0] : list.split(",", -1)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                return Optional.empty();
            }
            String value = pair.substring(equals + 1).strip();
            labels.put(
                    pair.substring(0, equals).strip(),
                    value.length() > 1 && value.startsWith("\"") && value.endsWith("\"")
                            ? value.substring(1, value.length() - 1)
                            : value);
        }
        return Optional.of(new MetricSpec(matcher.group(1), labels, quantity, attribute, true));
    }

    private static MetricSpec plain(String name, Quantity quantity) {
        return new MetricSpec(name, Map.of(), quantity, "", false);
    }

    private static MetricSpec labelled(String name, String label, String value, Quantity quantity) {
        return new MetricSpec(name, Map.of(label, value), quantity, "", false);
    }
}
