package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Intent.EngineArgument;
import dev.plainsail.webhook.plan.Subject;

/** {@code engine-args}: each flag is added when it is absent under any spelling; flags that add up are always added. */
final class ExtraArguments implements ArgumentSource {

    @Override
    public void offer(Subject subject, Offers offers) {
        subject.intent().engineArgs().ifPresent(asked -> {
            for (EngineArgument argument : asked.value()) {
                if (subject.arguments()
                        .filter(own -> own.hasWords(argument.words()))
                        .isPresent()) {
                    continue;
                }
                if (offers.engine().flags().isRepeatable(argument.name()) || !offers.hasNamed(argument.name())) {
                    offers.words().addAll(argument.words());
                } else {
                    offers.problems()
                            .warn(
                                    Caution.KEPT_YOUR_FLAG,
                                    asked.written(),
                                    argument.name() + " is not added, because the engine already has it");
                }
            }
        });
    }
}
