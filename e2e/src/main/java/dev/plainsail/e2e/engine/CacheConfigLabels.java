package dev.plainsail.e2e.engine;

import java.util.Map;
import java.util.TreeMap;

/** The labels of {@code vllm:cache_config_info} that say nothing about a simulated engine, with vLLM 0.32's defaults. */
final class CacheConfigLabels {
    private static final String DEFAULTS = """
            _block_size_resolved True
            cache_dtype auto
            cache_hit_alignment_tokens None
            enable_mamba_shared_prefix_checkpoint False
            hash_block_size None
            is_attention_free False
            kv_cache_dtype_skip_layers []
            kv_cache_layout None
            kv_cache_memory_bytes None
            kv_offloading_backend native
            kv_offloading_size None
            kv_sharing_fast_prefill False
            mamba_block_size None
            mamba_cache_dtype auto
            mamba_cache_mode none
            mamba_page_size_padded None
            mamba_ssm_cache_dtype auto
            num_cpu_blocks None
            prefix_cache_retention_interval 0
            prefix_caching_hash_algo sha256
            prefix_match_unit None
            replayssm_buffer_len 16
            skip_page_size_padded None
            sliding_window None
            swa_bounded_replay True
            use_kda_recoverssm False
            use_replayssm False
            """;

    private CacheConfigLabels() {}

    /** A map of one's own. */
    static Map<String, String> defaults() {
        Map<String, String> labels = new TreeMap<>();
        DEFAULTS.lines().map(line -> line.split(" ")).forEach(pair -> labels.put(pair[0], pair[1]));
        return labels;
    }

    /** As Python writes it. */
    static String bool(boolean value) {
        return value ? "True" : "False";
    }
}
