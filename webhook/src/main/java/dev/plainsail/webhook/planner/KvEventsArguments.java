package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.Arguments;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Change.AddVariable.Value;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.KvEvents;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** {@code kv-events}: the engine publishes what its cache holds, so that a picker can follow it exactly. */
final class KvEventsArguments implements ArgumentSource {

    private static final String POD_IP = "POD_IP";

    @Override
    public void offer(Subject subject, Offers offers) {
        if (subject.intent().kvEvents().isEmpty() || subject.pod().position().isWorker()) {
            return;
        }
        Written written = subject.intent().kvEvents().get().written();
        Optional<Arguments.Given> own = offers.given(EngineOption.KV_EVENTS);
        switch (subject.intent().kvEvents().get().value()) {
            case KvEvents.Off off -> {
                if (own.isPresent()) {
                    offers.problems()
                            .refuse(
                                    Reason.CONTRADICTS_FLAG,
                                    written,
                                    "but the engine has " + own.get().spelled() + "; remove one of the two");
                }
            }
            case KvEvents.On(String endpoint) -> {
                String json = json(subject, offers, endpoint);
                if (own.isPresent() && !offers.isOurs(own.get(), json)) {
                    offers.problems()
                            .warn(
                                    Caution.KEPT_YOUR_FLAG,
                                    written,
                                    "does nothing: the engine already has "
                                            + own.get().spelled() + ", which stays");
                    return;
                }
                offers.written(EngineOption.KV_EVENTS, json, written);
                offers.variable(POD_IP, new Value.Field("status.podIP"));
            }
        }
    }

    /** SGLang's publisher is on as soon as it is configured; vLLM wants to be told. */
    private static String json(Subject subject, Offers offers, String endpoint) {
        ObjectNode config = JsonNodeFactory.instance.objectNode();
        if (!subject.isEngine("sglang")) {
            config.put("enable_kv_cache_events", true);
        }
        return config.put("publisher", "zmq")
                .put("endpoint", endpoint)
                .put("topic", topic(subject, offers))
                .toString();
    }

    /** As llm-d's pickers subscribe: {@code kv@ADDRESS:PORT@MODEL}, in which the kubelet fills in the address. */
    private static String topic(Subject subject, Offers offers) {
        int port =
                ServingPort.of(subject, offers.engine()).orElse(offers.engine().defaultPort());
        String model = offers.given(EngineOption.SERVED_NAME)
                .or(() -> offers.given(EngineOption.MODEL))
                .filter(Arguments.Given::isKnown)
                .map(Arguments.Given::value)
                .or(() -> subject.intent().model().map(Asked::value))
                .orElse("");
        return "kv@$(" + POD_IP + "):" + port + "@" + model;
    }
}
