package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.Arguments;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Intent.KvEvents;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** {@code kv-events}: the engine publishes what its cache holds, so that a picker can follow it exactly. */
final class KvEventsArguments implements ArgumentSource {

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
                String json = json(subject, endpoint);
                if (own.isPresent() && !own.get().value().equals(json)) {
                    offers.problems()
                            .warn(
                                    Caution.KEPT_YOUR_FLAG,
                                    written,
                                    "does nothing: the engine already has "
                                            + own.get().spelled() + ", which stays");
                    return;
                }
                offers.written(EngineOption.KV_EVENTS, json, written);
            }
        }
    }

    /** SGLang's publisher is on as soon as it is configured; vLLM wants to be told. */
    private static String json(Subject subject, String endpoint) {
        ObjectNode config = JsonNodeFactory.instance.objectNode();
        if (!subject.isEngine("sglang")) {
            config.put("enable_kv_cache_events", true);
        }
        return config.put("publisher", "zmq").put("endpoint", endpoint).toString();
    }
}
