package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.plan.Intent.ClaimSource;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Everything that is done to one pod, in the order of the planners.
 *
 * @param container name of the engine's container, or empty
 */
public record PodPlan(String container, String engine, List<Change> changes) {

    public static final int TEXT_LIMIT = 4096;

    public PodPlan {
        changes = List.copyOf(changes);
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /** The name of the template that the pod will use, if we make it; else empty. */
    public String template() {
        return changes.stream()
                .filter(Change.SetLabel.class::isInstance)
                .map(Change.SetLabel.class::cast)
                .filter(label -> label.key().equals(Annotations.CLAIM_TEMPLATE_LABEL))
                .map(Change.SetLabel::value)
                .findFirst()
                .orElse("");
    }

    /** The plan annotation: compact JSON of names, never of values that may be secret; at most 4 KiB. */
    public String text() {
        ObjectNode plan = JsonNodeFactory.instance.objectNode();
        if (!container.isEmpty()) {
            plan.put("container", container);
        }
        if (!engine.isEmpty()) {
            plan.put("engine", engine);
        }
        Names names = new Names();
        changes.forEach(names::note);
        names.write(plan);
        String text = plan.toString();
        if (text.getBytes(StandardCharsets.UTF_8).length <= TEXT_LIMIT) {
            return text;
        }
        plan.retain("container", "engine", "claim");
        return plan.put("cut", true).toString();
    }

    /** What goes under which word in the plan. */
    private static final class Names {
        private String claim = "";
        private final List<String> containers = new ArrayList<>();
        private final List<String> arguments = new ArrayList<>();
        private final List<String> variables = new ArrayList<>();
        private final List<String> labels = new ArrayList<>();
        private final List<String> filled = new ArrayList<>();
        private final List<String> replaced = new ArrayList<>();

        void note(Change change) {
            switch (change) {
                case Change.UseClaim use -> {
                    claim = switch (use.source()) {
                        case ClaimSource.Named(String name) -> name;
                        case ClaimSource.Template(String name) -> "template/" + name;
                    };
                    use.containers().forEach(place -> containers.add(place.name()));
                }
                case Change.TakeOutResource take -> replaced.add(take.resource());
                case Change.AddArguments add -> {
                    add.words().stream()
                            .filter(word -> word.startsWith("-"))
                            .map(word -> word.contains("=") ? word.substring(0, word.indexOf('=')) : word)
                            .forEach(arguments::add);
                    if (add.words().stream().noneMatch(word -> word.startsWith("-"))) {
                        arguments.add("model");
                    }
                    if (add.slot() instanceof dev.plainsail.webhook.workload.Slot.InShellText) {
                        note("shell-text");
                    }
                }
                case Change.WrapCommand wrap -> note("command");
                case Change.AddVariable add -> variables.add(add.name());
                case Change.PrependPath prepend -> replaced.add(prepend.name());
                case Change.SetLabel label -> labels.add(label.key());
                case Change.SetAnnotation annotation -> {}
                case Change.AddSharedMemory memory -> filled.add("shm");
                case Change.AddProbe probe -> filled.add(probe.kind().field());
                case Change.SetGrace grace -> filled.add("grace");
                case Change.AddPreStopSleep sleep -> filled.add("preStop");
                case Change.SwitchOffServiceLinks off -> filled.add("service-links");
            }
        }

        private void note(String replacement) {
            if (!replaced.contains(replacement)) {
                replaced.add(replacement);
            }
        }

        void write(ObjectNode plan) {
            if (!claim.isEmpty()) {
                ObjectNode node = plan.putObject("claim");
                node.put("source", claim);
                containers.forEach(node.putArray("containers")::add);
            }
            list(plan, "arguments", arguments);
            list(plan, "variables", variables);
            list(plan, "labels", labels);
            list(plan, "filled", filled);
            list(plan, "replaced", replaced);
        }

        private static void list(ObjectNode plan, String field, List<String> names) {
            if (!names.isEmpty()) {
                ArrayNode array = plan.putArray(field);
                names.forEach(array::add);
            }
        }
    }
}
