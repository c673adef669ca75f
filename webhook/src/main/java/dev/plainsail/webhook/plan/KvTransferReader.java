package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.plan.Intent.Connector;
import dev.plainsail.webhook.plan.Intent.KvTransfer;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Grammar of {@code kv-transfer}: the name of a connector, or vLLM's own JSON. */
final class KvTransferReader {

    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final List<String> WORDS = List.of("nixl", "offloading", "shared-storage", "lmcache");

    private KvTransferReader() {}

    static Optional<KvTransfer> read(Written written, Problems problems) {
        String text = written.value().trim();
        if (text.startsWith("{")) {
            return json(written, text, problems);
        }
        for (Connector connector : Connector.values()) {
            if (connector.word().equals(text)) {
                return Optional.of(new KvTransfer.Known(connector));
            }
        }
        problems.refuse(
                Reason.BAD_VALUE,
                written,
                "write nixl, offloading, shared-storage, lmcache, or the engine's JSON as in {\"kv_connector\":\"NixlConnector\",\"kv_role\":\"kv_both\"}"
                        + IntentReader.didYouMean(text, WORDS));
        return Optional.empty();
    }

    private static Optional<KvTransfer> json(Written written, String text, Problems problems) {
        try {
            JsonNode tree = STRICT.readTree(text);
            if (tree.path("kv_connector").isString() && tree.path("kv_role").isString()) {
                return Optional.of(new KvTransfer.Custom(tree.toString()));
            }
            problems.refuse(Reason.BAD_VALUE, written, "the JSON needs the texts kv_connector and kv_role");
        } catch (JacksonException e) {
            problems.refuse(Reason.BAD_VALUE, written, "is not JSON: " + e.getOriginalMessage());
        }
        return Optional.empty();
    }
}
