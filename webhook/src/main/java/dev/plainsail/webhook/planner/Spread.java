package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.Arguments;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.Parallelism;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How the model is spread over devices, from the annotation and from the engine's own flags together (where both say
 * something they agree, or the pod is refused elsewhere).
 *
 * @param isKnown something was said; otherwise all sizes are 1 because that is the engines' default
 * @param dataLocal ranks in one pod
 * @param written the annotation, if it was what said it
 */
record Spread(boolean isKnown, int tensor, int pipeline, int data, int dataLocal, Optional<Written> written) {

    /** Empty if a flag's value is only known at run time. */
    static Optional<Spread> of(Subject subject) {
        Optional<Asked<Parallelism>> asked = subject.intent().parallelism();
        Optional<Arguments> arguments = subject.arguments();
        Reading reading = new Reading(arguments);
        int tensor = reading.size(asked.map(a -> a.value().tensor()), EngineOption.TENSOR);
        int pipeline = reading.size(asked.map(a -> a.value().pipeline()), EngineOption.PIPELINE);
        int data = reading.size(asked.map(a -> a.value().data()), EngineOption.DATA);
        OptionalInt local = reading.optional(asked.map(a -> a.value().dataLocal()), EngineOption.DATA_LOCAL);
        if (reading.isUnknown) {
            return Optional.empty();
        }
        int pods = subject.pod().position().size();
        int dataLocal = local.orElse(data % pods == 0 ? data / pods : data);
        return Optional.of(
                new Spread(reading.isKnown, tensor, pipeline, data, Math.max(1, dataLocal), asked.map(Asked::written)));
    }

    /** Devices that all ranks in one pod need together, times the pods that one engine spans. */
    long devicesOfAllPods() {
        return (long) tensor * pipeline * dataLocal;
    }

    /** Over how many pods of a group of that size one engine lies: data parallel ranks stay within their pod. */
    int podsOfOneEngine(int groupSize) {
        return data > 1 ? 1 : groupSize;
    }

    String formula() {
        StringBuilder text = new StringBuilder("tensor " + tensor);
        if (pipeline > 1) {
            text.append(" x pipeline ").append(pipeline);
        }
        if (dataLocal > 1) {
            text.append(" x data-local ").append(dataLocal);
        }
        return text.toString();
    }

    private static final class Reading {
        private final Optional<Arguments> arguments;
        private boolean isKnown;
        private boolean isUnknown;

        Reading(Optional<Arguments> arguments) {
            this.arguments = arguments;
        }

        int size(Optional<OptionalInt> asked, EngineOption option) {
            return optional(asked, option).orElse(1);
        }

        OptionalInt optional(Optional<OptionalInt> asked, EngineOption option) {
            if (asked.isPresent() && asked.get().isPresent()) {
                isKnown = true;
                return asked.get();
            }
            Optional<Arguments.Given> given = arguments.flatMap(words -> words.given(option));
            if (given.isEmpty()) {
                return OptionalInt.empty();
            }
            isKnown = true;
            OptionalInt number = given.get().number();
            if (number.isEmpty() || number.getAsInt() == 0) {
                isUnknown = true;
                return OptionalInt.empty();
            }
            return number;
        }
    }
}
