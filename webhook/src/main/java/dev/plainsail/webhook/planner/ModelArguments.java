package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.EngineCommand;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Subject;

/** {@code model}: the model argument where the engine wants it, and the served name, unless the user gave them. */
final class ModelArguments implements ArgumentSource {

    @Override
    public void offer(Subject subject, Offers offers) {
        subject.intent().model().ifPresent(asked -> {
            String model = asked.value();
            boolean isOwnWord = subject.command()
                    .filter(command ->
                            command instanceof EngineCommand.Understood understood && understood.hasPositionalModel())
                    .isPresent();
            if (isOwnWord && !offers.has(EngineOption.MODEL)) {
                offers.model().add(model);
            } else {
                offers.written(EngineOption.MODEL, model, asked.written());
            }
            if (!offers.has(EngineOption.SERVED_NAME) && !offers.has(EngineOption.MODEL)) {
                offers.derived(EngineOption.SERVED_NAME, model, asked.written());
            }
        });
    }
}
