package dev.plainsail.webhook.engine;

import dev.plainsail.webhook.workload.ContainerView;
import java.util.List;
import java.util.Optional;

/** The engines that are known, and the search for them in a container. */
public final class Engines {

    public static final List<Engine> ALL = List.of(new Vllm(), new Sglang());

    private Engines() {}

    /** An engine found in a container. */
    public record Found(Engine engine, EngineCommand command) {}

    public static Optional<Engine> named(String name) {
        return ALL.stream().filter(engine -> engine.name().equals(name)).findFirst();
    }

    public static Optional<Found> find(ContainerView container, List<KnownImage> images) {
        Optional<KnownImage> image = KnownImage.find(images, container.image());
        for (Engine engine : ALL) {
            Optional<EngineCommand> command = EngineCommand.find(engine, container, image);
            if (command.isPresent()) {
                return Optional.of(new Found(engine, command.get()));
            }
        }
        return Optional.empty();
    }
}
