package dev.plainsail.webhook.engine;

import static dev.plainsail.webhook.engine.Flag.many;
import static dev.plainsail.webhook.engine.Flag.one;
import static dev.plainsail.webhook.engine.Flag.toggle;

import dev.plainsail.webhook.workload.Word;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** vLLM: {@code vllm serve MODEL ...} and the older {@code python3 -m vllm.entrypoints.openai.api_server --model MODEL}. */
public final class Vllm implements Engine {

    private static final Set<String> MODULES =
            Set.of("vllm.entrypoints.openai.api_server", "vllm.entrypoints.api_server");
    private static final Pattern MENTION = Pattern.compile("\\bvllm\\s+serve\\b|\\bvllm\\.entrypoints\\.");

    /** All of 0.32, besides those of the table: the model may be the word behind one. */
    private static final Pattern SWITCHES = Pattern.compile("(?!--disable-access-log-for-endpoints)"
            + "--(enable|disable|skip|use|trust|return|allow|fully)-.*"
            + "|--(aggregate-engine-logging|async-scheduling|cohere-is-reasoning-model|cudagraph-metrics"
            + "|data-parallel-(external|hybrid|multi-port-external)-lb|dcp-q-replicate|enforce-eager"
            + "|exclude-tools-when-tool-choice-none|fail-on-environ-validation|grpc|interleave-mm-strings"
            + "|jit-monitor-verbose|kv-cache-metrics|kv-sharing-fast-prefill|language-model-only|log-error-stack"
            + "|long-prefill-token-threshold-adaptive|mm-device-do-normalize|mm-encoder-only|numa-bind"
            + "|ray-workers-use-nsight|scheduler-reserve-full-isl|sleep-mode-offload-cudagraph"
            + "|specialize-active-lora|swa-bounded-replay|tokens-only)|-dp[ehm]");

    private static final FlagTable FLAGS = new FlagTable(
            List.of(
                    one(EngineOption.MODEL, "with `vllm serve` the model is its first word instead", "--model"),
                    many(EngineOption.SERVED_NAME, "", "--served-model-name"),
                    one(EngineOption.HOST, "", "--host"),
                    one(EngineOption.PORT, "", "--port"),
                    one(EngineOption.TENSOR, "", "--tensor-parallel-size", "-tp"),
                    one(EngineOption.PIPELINE, "", "--pipeline-parallel-size", "-pp"),
                    one(EngineOption.DATA, "", "--data-parallel-size", "-dp"),
                    one(EngineOption.DATA_LOCAL, "since 0.9", "--data-parallel-size-local", "-dpl"),
                    toggle(EngineOption.EXPERT, "since 0.8", "--enable-expert-parallel", "-ep"),
                    one(EngineOption.KV_TRANSFER, "JSON; since 0.7", "--kv-transfer-config"),
                    one(EngineOption.KV_OFFLOADING_SIZE, "GiB; read only", "--kv-offloading-size"),
                    one(EngineOption.KV_EVENTS, "JSON; since 0.9", "--kv-events-config"),
                    one(EngineOption.NODES, "multi-node without Ray; since 0.12", "--nnodes", "-n"),
                    one(EngineOption.NODE_RANK, "since 0.12", "--node-rank", "-r"),
                    one(EngineOption.LEADER_ADDRESS, "since 0.12", "--master-addr"),
                    toggle(EngineOption.HEADLESS, "since 0.9", "--headless"),
                    one(EngineOption.DATA_ADDRESS, "since 0.9", "--data-parallel-address", "-dpa"),
                    one(EngineOption.DATA_RPC_PORT, "since 0.9; read only", "--data-parallel-rpc-port", "-dpp"),
                    one(EngineOption.DATA_START_RANK, "since 0.9", "--data-parallel-start-rank", "-dpr"),
                    one(EngineOption.TLS_CERTIFICATE, "read only", "--ssl-certfile"),
                    one(EngineOption.TLS_KEY, "read only", "--ssl-keyfile"),
                    one(EngineOption.CONFIG_FILE, "read only", "--config")),
            Set.of("--middleware"),
            SWITCHES);

    @Override
    public String name() {
        return "vllm";
    }

    @Override
    public String title() {
        return "vLLM";
    }

    @Override
    public FlagTable flags() {
        return FLAGS;
    }

    @Override
    public int defaultPort() {
        return 8000;
    }

    @Override
    public Optional<Start> find(List<Word> words) {
        for (int i = 0; i + 1 < words.size(); i++) {
            String next = words.get(i + 1).text();
            if (words.get(i).baseName().equals("vllm") && next.equals("serve")) {
                return Optional.of(new Start(i + 2, true));
            }
            if (words.get(i).text().equals("-m") && MODULES.contains(next)) {
                return Optional.of(new Start(i + 2, false));
            }
        }
        return Optional.empty();
    }

    @Override
    public boolean isMentionedIn(String text) {
        return MENTION.matcher(text).find();
    }

    @Override
    public Optional<List<String>> expert(ExpertWish wish) {
        return switch (wish) {
            case ExpertWish.Switch(boolean on) -> Optional.of(on ? List.of("--enable-expert-parallel") : List.of());
            case ExpertWish.Size size -> Optional.empty();
        };
    }
}
