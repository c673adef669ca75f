package dev.plainsail.webhook.engine;

/** What an engine can be told on its command line, whatever it calls it. */
public enum EngineOption {
    MODEL,
    SERVED_NAME,
    HOST,
    PORT,
    TENSOR,
    PIPELINE,
    DATA,
    DATA_LOCAL,
    EXPERT,
    KV_TRANSFER,
    KV_OFFLOADING_SIZE,
    KV_EVENTS,
    DISAGGREGATION_MODE,
    DISAGGREGATION_BACKEND,
    NODES,
    NODE_RANK,
    LEADER_ADDRESS,
    HEADLESS,
    DATA_ADDRESS,
    DATA_RPC_PORT,
    DATA_START_RANK,
    TLS_CERTIFICATE,
    TLS_KEY,
    CONFIG_FILE
}
