package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.Arguments;
import dev.plainsail.webhook.engine.Engine;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.PortChoice;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;

/** Where the engine listens: the annotation, else its port flag, else its only container port, else the engine's default. */
final class ServingPort {

    private ServingPort() {}

    /** Empty if only the running shell knows, or if the annotation names a port that is not there. */
    static OptionalInt of(Subject subject, Engine engine) {
        Optional<PortChoice> asked = subject.intent().port().map(Asked::value);
        if (asked.isPresent()) {
            return switch (asked.get()) {
                case PortChoice.Numbered(int port) -> OptionalInt.of(port);
                case PortChoice.Named(String name) -> named(subject, name);
            };
        }
        Optional<Arguments.Given> flag = subject.arguments().flatMap(words -> words.given(EngineOption.PORT));
        if (flag.isPresent()) {
            return flag.get().number();
        }
        List<Integer> ports = subject.main().map(ServingPort::ports).orElse(List.of());
        if (ports.size() == 1 || ports.contains(engine.defaultPort())) {
            return OptionalInt.of(ports.contains(engine.defaultPort()) ? engine.defaultPort() : ports.getFirst());
        }
        return OptionalInt.of(engine.defaultPort());
    }

    static OptionalInt named(Subject subject, String name) {
        for (JsonNode port : list(subject.main())) {
            OptionalInt number = Trees.whole(port.path("containerPort"));
            if (Trees.text(port, "name").equals(name) && number.isPresent()) {
                return number;
            }
        }
        return OptionalInt.empty();
    }

    static List<String> names(Subject subject) {
        return list(subject.main()).stream()
                .map(port -> Trees.text(port, "name"))
                .filter(name -> !name.isEmpty())
                .toList();
    }

    private static List<Integer> ports(ContainerView container) {
        return list(Optional.of(container)).stream()
                .flatMap(
                        port -> Trees.whole(port.path("containerPort")).stream().boxed())
                .toList();
    }

    private static List<JsonNode> list(Optional<ContainerView> container) {
        List<JsonNode> result = new ArrayList<>();
        container
                .map(view -> view.node().path("ports"))
                .filter(JsonNode::isArray)
                .ifPresent(ports -> ports.forEach(result::add));
        return result;
    }
}
