package dev.plainsail.epp.datalayer;

/** What a metric line can tell us. */
public enum Quantity {
    WAITING,
    RUNNING,
    KV_USED,
    /** The same under a name that engines have given up; the newer name wins. */
    KV_USED_OLD,
    KV_BLOCK_TOKENS,
    KV_BLOCKS,
    /** A line whose labels tell block size and number of blocks. */
    CACHE_INFO,
    LORA_INFO,
    PREFILL_TOKENS,
    PREFILL_SECONDS,
    PREFILL_REQUESTS,
    COMPUTED_PROMPT_TOKENS,
    PREFIX_QUERIED_TOKENS,
    PREFIX_HIT_TOKENS,
    FIRST_TOKENS,
    PROCESS_START,
    /** What only the configuration gives a meaning. */
    ATTRIBUTE
}
