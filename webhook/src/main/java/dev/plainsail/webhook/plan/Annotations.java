package dev.plainsail.webhook.plan;

import dev.plainsail.dra.ClaimTemplate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The vocabulary: every annotation and label that we read or write, each with its grammar in a few words. */
public final class Annotations {

    public static final String PREFIX = "plainsail.dev/";

    /** What a user may write. */
    public enum Input {
        INJECT("inject", "true | false"),
        DEVICES("devices", "CLASS [xN | all] [where CEL], ... | v1 `devices` as YAML | auto"),
        CLAIM("claim", "NAME | template/NAME"),
        CONTAINER("container", "NAME, ..."),
        ENGINE("engine", "vllm | sglang | none"),
        MODEL("model", "model name or path"),
        PARALLELISM("parallelism", "tensor=N | pipeline=N | data=N | data-local=N | expert[=true|false|N], ..."),
        ROLE("role", "prefill | decode | both"),
        KV_TRANSFER("kv-transfer", "nixl | offloading | shared-storage | lmcache | JSON"),
        KV_EVENTS("kv-events", "true | false | tcp or ipc endpoint"),
        ENGINE_ARGS("engine-args", "words with quotes as in a shell, without $, backtick and glob"),
        LIBRARY_PATH("library-path", "auto | off | /absolute/paths:/with/colons"),
        POOL("pool", "label value"),
        PORT("port", "port name | 1..65535"),
        FILL("fill", "words of: shm probes grace service-links host-ip | off"),
        PLACEMENT("placement", "prefer");

        private static final Map<String, Input> BY_KEY =
                Stream.of(values()).collect(Collectors.toUnmodifiableMap(Input::key, input -> input));

        private final String key;
        private final String grammar;

        Input(String name, String grammar) {
            this.key = PREFIX + name;
            this.grammar = grammar;
        }

        public String key() {
            return key;
        }

        public String grammar() {
            return grammar;
        }

        public static Optional<Input> of(String key) {
            return Optional.ofNullable(BY_KEY.get(key));
        }
    }

    /** KServe's spellings, accepted with the same rules. */
    public enum Alias {
        DEVICE_CLASS("device-class"),
        DEVICE_COUNT("device-count"),
        CEL_SELECTOR("cel-selector"),
        CONTAINER_NAME("container-name");

        private static final Set<String> KEYS =
                Stream.of(values()).map(Alias::key).collect(Collectors.toUnmodifiableSet());

        private final String key;

        Alias(String name) {
            this.key = "serving.kserve.io/exp-dra-" + name;
        }

        public String key() {
            return key;
        }

        public static boolean isAlias(String key) {
            return KEYS.contains(key);
        }
    }

    /** On pods: what was added and why. */
    public static final String PLAN = PREFIX + "plan";
    /** On pods: the canonical claim that the template controller makes the template from. */
    public static final String CLAIM_SPEC = PREFIX + "claim-spec";
    /** On templates: which keys we copied, with the hash of what we wrote. */
    public static final String COPIED = PREFIX + "copied";
    /** On pods and generated claims, a label. */
    public static final String CLAIM_TEMPLATE_LABEL = ClaimTemplate.TEMPLATE_LABEL;
    /** On pods, a label: which pool's picker serves it. */
    public static final String POOL_LABEL = PREFIX + "pool";
    /** On pods, llm-d's label. */
    public static final String ROLE_LABEL = "llm-d.ai/role";
    /** On namespaces, a label: disabled or observe. */
    public static final String INJECTION_LABEL = PREFIX + "injection";

    public static final List<String> OUTPUTS = List.of(PLAN, CLAIM_SPEC, COPIED);

    /** Pod entry of the claim that we inject. */
    public static final String CLAIM_ENTRY = "plainsail";

    private Annotations() {}

    /** Whether a value under this key is copied from a workload's metadata to its template. */
    public static boolean isInput(String key) {
        return Input.of(key).isPresent() || Alias.isAlias(key);
    }

    /** Ours or an accepted alias: the object asks for something. */
    public static boolean isOurs(String key) {
        return key.startsWith(PREFIX) || Alias.isAlias(key);
    }
}
