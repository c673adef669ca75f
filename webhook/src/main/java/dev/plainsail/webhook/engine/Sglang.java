package dev.plainsail.webhook.engine;

import static dev.plainsail.webhook.engine.Flag.one;

import dev.plainsail.webhook.workload.Word;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** SGLang: {@code python3 -m sglang.launch_server --model-path MODEL ...} and the newer {@code sglang serve}. */
public final class Sglang implements Engine {

    private static final Pattern MENTION = Pattern.compile("\\bsglang\\s+serve\\b|\\bsglang\\.launch_server\\b");

    /** Not needed: SGLang's model is a flag's value, so a word that stands alone means nothing. */
    private static final Pattern NO_SWITCHES = Pattern.compile("(?!)");

    private static final FlagTable FLAGS = new FlagTable(
            List.of(
                    one(EngineOption.MODEL, "", "--model-path", "--model"),
                    one(EngineOption.SERVED_NAME, "one name", "--served-model-name"),
                    one(EngineOption.HOST, "", "--host"),
                    one(EngineOption.PORT, "", "--port"),
                    one(EngineOption.TENSOR, "", "--tensor-parallel-size", "--tp-size", "--tp"),
                    one(EngineOption.PIPELINE, "since 0.4.7", "--pipeline-parallel-size", "--pp-size", "--pp"),
                    one(EngineOption.DATA, "", "--data-parallel-size", "--dp-size", "--dp"),
                    one(EngineOption.EXPERT, "a number; since 0.4.7", "--expert-parallel-size", "--ep-size", "--ep"),
                    one(EngineOption.KV_EVENTS, "JSON; since 0.4.8", "--kv-events-config"),
                    one(EngineOption.DISAGGREGATION_MODE, "prefill or decode; since 0.4.6", "--disaggregation-mode"),
                    one(EngineOption.DISAGGREGATION_BACKEND, "since 0.4.6", "--disaggregation-transfer-backend"),
                    one(EngineOption.NODES, "", "--nnodes"),
                    one(EngineOption.NODE_RANK, "", "--node-rank"),
                    one(EngineOption.LEADER_ADDRESS, "host:port", "--dist-init-addr", "--nccl-init-addr"),
                    one(EngineOption.TLS_CERTIFICATE, "read only", "--ssl-certfile"),
                    one(EngineOption.TLS_KEY, "read only", "--ssl-keyfile"),
                    one(EngineOption.CONFIG_FILE, "read only", "--config")),
            Set.of(),
            NO_SWITCHES);

    @Override
    public String name() {
        return "sglang";
    }

    @Override
    public String title() {
        return "SGLang";
    }

    @Override
    public FlagTable flags() {
        return FLAGS;
    }

    @Override
    public int defaultPort() {
        return 30000;
    }

    @Override
    public Optional<Start> find(List<Word> words) {
        for (int i = 0; i + 1 < words.size(); i++) {
            String next = words.get(i + 1).text();
            boolean isModule = words.get(i).text().equals("-m") && next.equals("sglang.launch_server");
            boolean isCommand = words.get(i).baseName().equals("sglang") && next.equals("serve");
            if (isModule || isCommand) {
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
            case ExpertWish.Switch(boolean on) -> on ? Optional.empty() : Optional.of(List.of());
            case ExpertWish.Size(int experts) ->
                Optional.of(List.of("--expert-parallel-size", Integer.toString(experts)));
        };
    }
}
