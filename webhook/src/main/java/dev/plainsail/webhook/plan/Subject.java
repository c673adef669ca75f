package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.engine.Arguments;
import dev.plainsail.webhook.engine.Engine;
import dev.plainsail.webhook.engine.EngineCommand;
import dev.plainsail.webhook.workload.ContainerView;
import java.util.List;
import java.util.Optional;

/**
 * What the planners look at: one pod, what is asked for it, and what was found out about it.
 *
 * @param main the engine's container, if one could be told
 * @param sharers the other containers that get its devices
 * @param arguments the engine's own words and those of {@code engine-args}, if they could be read: all that the user says
 */
public record Subject(
        dev.plainsail.webhook.workload.PodView pod,
        Intent intent,
        InjectionSettings settings,
        Optional<ContainerView> main,
        List<ContainerView> sharers,
        Optional<Engine> engine,
        Optional<EngineCommand> command,
        Optional<Arguments> arguments) {

    public Subject {
        sharers = List.copyOf(sharers);
    }

    /** The engine's own words as they stand in the pod, if they could be read. */
    public Optional<Arguments> ownArguments() {
        return command.flatMap(found -> found instanceof EngineCommand.Understood understood
                ? Optional.of(understood.arguments())
                : Optional.empty());
    }

    public boolean isEngine(String name) {
        return engine.map(found -> found.name().equals(name)).orElse(false);
    }
}
