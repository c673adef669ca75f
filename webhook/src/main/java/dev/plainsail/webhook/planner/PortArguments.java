package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Intent.PortChoice;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import java.util.List;
import java.util.OptionalInt;

/** {@code port}: the engine is told, unless it listens there anyway. */
final class PortArguments implements ArgumentSource {

    @Override
    public void offer(Subject subject, Offers offers) {
        if (subject.intent().port().isEmpty() || subject.pod().position().isWorker()) {
            return;
        }
        var asked = subject.intent().port().get();
        OptionalInt port = ServingPort.of(subject, offers.engine());
        if (port.isEmpty()) {
            if (asked.value() instanceof PortChoice.Named) {
                List<String> names = ServingPort.names(subject);
                offers.problems()
                        .refuse(
                                Reason.UNKNOWN_PORT,
                                asked.written(),
                                "the engine's container has no port of that name"
                                        + (names.isEmpty() ? "" : ", only " + String.join(", ", names))
                                        + "; write one of its names, or the number");
            }
            return;
        }
        if (offers.has(EngineOption.PORT) || port.getAsInt() != offers.engine().defaultPort()) {
            offers.written(EngineOption.PORT, Integer.toString(port.getAsInt()), asked.written());
        }
    }
}
