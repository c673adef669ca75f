package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.Arguments;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Intent.EngineArgument;
import dev.plainsail.webhook.plan.Subject;
import java.util.Optional;

/** {@code engine-args}: each flag is added when it is absent under any spelling; flags that add up are always added. */
final class ExtraArguments implements ArgumentSource {

    @Override
    public void offer(Subject subject, Offers offers) {
        subject.intent().engineArgs().ifPresent(asked -> {
            for (EngineArgument argument : asked.value()) {
                Optional<Arguments> own = subject.ownArguments();
                boolean isThere =
                        own.filter(words -> words.hasWords(argument.words())).isPresent();
                boolean isNamed =
                        own.filter(words -> words.hasNamed(argument.name())).isPresent();
                if (isThere) {
                    continue;
                }
                if (isNamed && !offers.engine().flags().isRepeatable(argument.name())) {
                    offers.problems()
                            .warn(
                                    Caution.KEPT_YOUR_FLAG,
                                    asked.written(),
                                    argument.name() + " is not added, because the engine already has it");
                } else {
                    offers.words().addAll(argument.words());
                }
            }
        });
    }
}
