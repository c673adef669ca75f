package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Change.AddVariable.Value;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.Connector;
import dev.plainsail.webhook.plan.Intent.KvTransfer;
import dev.plainsail.webhook.plan.Intent.Role;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code kv-transfer} and {@code role}: how this engine hands its KV cache on. A prefill or decode role without a transfer
 * would silently compute everything twice, so it brings NIXL with it.
 */
final class KvTransferArguments implements ArgumentSource {

    @Override
    public void offer(Subject subject, Offers offers) {
        Optional<Asked<Role>> asked = subject.intent().role();
        Optional<Asked<KvTransfer>> transfer = subject.intent().kvTransfer();
        boolean isDisaggregated =
                asked.filter(role -> role.value() != Role.BOTH).isPresent();
        if (transfer.isEmpty() && !isDisaggregated) {
            return;
        }
        Written written =
                transfer.map(Asked::written).or(() -> asked.map(Asked::written)).orElseThrow();
        KvTransfer wish = transfer.map(Asked::value).orElse(new KvTransfer.Known(Connector.NIXL));
        Role role = role(subject);
        if (subject.isEngine("sglang")) {
            sglang(offers, wish, role, written);
            return;
        }
        if (transfer.isEmpty() && offers.has(EngineOption.KV_TRANSFER)) {
            return;
        }
        if (offers.has(EngineOption.KV_OFFLOADING_SIZE) && !offers.has(EngineOption.KV_TRANSFER)) {
            offers.problems()
                    .refuse(
                            Reason.CONTRADICTS_FLAG,
                            written,
                            "but the engine has --kv-offloading-size, which sets the KV transfer itself; remove one of the two");
            return;
        }
        vllm(subject, offers, wish, role, written, transfer.isPresent());
    }

    private static Role role(Subject subject) {
        String label = subject.pod().labels().getOrDefault(Annotations.ROLE_LABEL, "");
        Role fromLabel = switch (label) {
            case "prefill" -> Role.PREFILL;
            case "decode" -> Role.DECODE;
            default -> Role.BOTH;
        };
        return subject.intent().role().map(Asked::value).orElse(fromLabel);
    }

    private static void vllm(
            Subject subject, Offers offers, KvTransfer wish, Role role, Written written, boolean isWritten) {
        String json = switch (wish) {
            case KvTransfer.Custom(String text) -> text;
            case KvTransfer.Known(Connector connector) -> json(subject, connector, role);
        };
        boolean isOurs = offers.given(EngineOption.KV_TRANSFER)
                .filter(given -> offers.isOurs(given, json))
                .isPresent();
        if (offers.has(EngineOption.KV_TRANSFER) && !isOurs) {
            offers.problems()
                    .warn(
                            Caution.KEPT_YOUR_FLAG,
                            written,
                            "does nothing: the engine already has "
                                    + offers.given(EngineOption.KV_TRANSFER)
                                            .orElseThrow()
                                            .spelled() + ", which stays");
            return;
        }
        if (isWritten) {
            offers.written(EngineOption.KV_TRANSFER, json, written);
        } else {
            offers.derived(EngineOption.KV_TRANSFER, json, written);
        }
        if (json.contains("\"NixlConnector\"")) {
            // vLLM's default is localhost, which other pods cannot reach; its port, 5600, is the pod's own.
            offers.variable("VLLM_NIXL_SIDE_CHANNEL_HOST", new Value.Field("status.podIP"));
        }
    }

    private static String json(Subject subject, Connector connector, Role role) {
        ObjectNode config = JsonNodeFactory.instance.objectNode();
        switch (connector) {
            case NIXL -> config.put("kv_connector", "NixlConnector").put("kv_role", nixlRole(role));
            case LMCACHE -> config.put("kv_connector", "LMCacheConnectorV1").put("kv_role", "kv_both");
            case OFFLOADING ->
                config.put("kv_connector", "OffloadingConnector")
                        .put("kv_role", "kv_both")
                        .putObject("kv_connector_extra_config")
                        .put(
                                "cpu_bytes_to_use",
                                subject.settings().offloadingMemory().value().longValue());
            case SHARED_STORAGE ->
                config.put("kv_connector", "ExampleConnector")
                        .put("kv_role", "kv_both")
                        .putObject("kv_connector_extra_config")
                        .put("shared_storage_path", subject.settings().sharedStoragePath());
        }
        return config.toString();
    }

    private static String nixlRole(Role role) {
        return switch (role) {
            case PREFILL -> "kv_producer";
            case DECODE -> "kv_consumer";
            case BOTH -> "kv_both";
        };
    }

    private static void sglang(Offers offers, KvTransfer wish, Role role, Written written) {
        if (!(wish instanceof KvTransfer.Known(Connector connector)) || connector != Connector.NIXL) {
            offers.problems()
                    .refuse(
                            Reason.NOT_FOR_ENGINE,
                            written,
                            "SGLang takes only nixl here; use `plainsail.dev/engine-args` for the rest");
            return;
        }
        if (role == Role.BOTH) {
            offers.problems()
                    .refuse(
                            Reason.NOT_FOR_ENGINE,
                            written,
                            "SGLang transfers its cache only between a prefill and a decode engine; write plainsail.dev/role: prefill or decode");
            return;
        }
        offers.written(EngineOption.DISAGGREGATION_MODE, role.word(), written);
        offers.derived(EngineOption.DISAGGREGATION_BACKEND, "nixl", written);
    }
}
