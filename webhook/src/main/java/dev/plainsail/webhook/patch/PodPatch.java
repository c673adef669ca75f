package dev.plainsail.webhook.patch;

import static dev.plainsail.webhook.patch.PatchWriter.child;

import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Change.AddArguments;
import dev.plainsail.webhook.plan.Intent.ClaimSource;
import dev.plainsail.webhook.plan.PodPlan;
import dev.plainsail.webhook.plan.ShellQuote;
import dev.plainsail.webhook.workload.ContainerView.Place;
import dev.plainsail.webhook.workload.Slot;
import dev.plainsail.webhook.workload.Trees;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/** A plan, carried out once as RFC 6902 operations on one pod's raw tree. One thread. */
public final class PodPatch {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final PatchWriter writer;

    private PodPatch(JsonNode pod) {
        this.writer = new PatchWriter(pod);
    }

    /** @param pod is not written to */
    public static PodPatch of(JsonNode pod, PodPlan plan) {
        PodPatch patch = new PodPatch(pod);
        patch.carryOut(plan.changes());
        return patch;
    }

    /** Empty when there is nothing to do. */
    public ArrayNode operations() {
        return writer.operations();
    }

    /** The pod as it is after the operations. */
    public JsonNode result() {
        return writer.result();
    }

    private void carryOut(List<Change> changes) {
        Map<List<Object>, List<AddArguments>> shellTexts = new LinkedHashMap<>();
        List<Change.WrapCommand> wraps = new ArrayList<>();
        for (Change change : changes) {
            // Shell texts get all their words in one operation; wrapping moves the indices of command, so it comes
            // last.
            if (change instanceof AddArguments add && add.slot() instanceof Slot.InShellText slot) {
                shellTexts
                        .computeIfAbsent(List.of(add.container(), slot.field(), slot.index()), key -> new ArrayList<>())
                        .add(add);
            } else if (change instanceof Change.WrapCommand wrap) {
                wraps.add(wrap);
            } else {
                carryOut(change);
            }
        }
        shellTexts.values().forEach(this::shellText);
        wraps.forEach(this::wrap);
    }

    private void carryOut(Change change) {
        switch (change) {
            case Change.UseClaim use -> useClaim(use);
            case Change.TakeOutResource take -> takeOut(take);
            case AddArguments add -> arguments(add);
            case Change.WrapCommand wrap -> wrap(wrap);
            case Change.AddVariable add -> variable(add);
            case Change.PrependPath prepend -> {
                List<String> entry = child(at(prepend.container(), "env"), Integer.toString(prepend.variable()));
                writer.put(child(entry, "value"), text(prepend.value()));
            }
            case Change.SetLabel label -> writer.put(List.of("metadata", "labels", label.key()), text(label.value()));
            case Change.SetAnnotation annotation ->
                writer.put(List.of("metadata", "annotations", annotation.key()), text(annotation.value()));
            case Change.AddSharedMemory memory -> sharedMemory(memory);
            case Change.AddProbe probe -> probe(probe);
            case Change.SetGrace grace ->
                writer.put(List.of("spec", "terminationGracePeriodSeconds"), NODES.numberNode(grace.seconds()));
            case Change.AddPreStopSleep sleep -> {
                ObjectNode preStop = NODES.objectNode();
                preStop.putObject("sleep").put("seconds", sleep.seconds());
                writer.put(at(sleep.container(), "lifecycle", "preStop"), preStop);
            }
            case Change.SwitchOffServiceLinks off ->
                writer.put(List.of("spec", "enableServiceLinks"), NODES.booleanNode(false));
        }
    }

    private void useClaim(Change.UseClaim use) {
        List<String> claims = List.of("spec", "resourceClaims");
        if (hasNone(writer.at(claims))) {
            ObjectNode entry = NODES.objectNode();
            entry.put("name", Annotations.CLAIM_ENTRY);
            switch (use.source()) {
                case ClaimSource.Named(String name) -> entry.put("resourceClaimName", name);
                case ClaimSource.Template(String name) -> entry.put("resourceClaimTemplateName", name);
            }
            writer.append(claims, List.of(entry));
        }
        for (Place place : use.containers()) {
            List<String> used = at(place, "resources", "claims");
            if (hasNone(writer.at(used))) {
                writer.append(used, List.of(NODES.objectNode().put("name", Annotations.CLAIM_ENTRY)));
            }
        }
    }

    private static boolean hasNone(JsonNode entries) {
        return entries.valueStream()
                .noneMatch(entry -> Trees.text(entry, "name").equals(Annotations.CLAIM_ENTRY));
    }

    private void takeOut(Change.TakeOutResource take) {
        for (String list : List.of("limits", "requests")) {
            List<String> path = at(take.container(), "resources", list, take.resource());
            if (!writer.at(path).isMissingNode()) {
                writer.remove(path);
            }
        }
    }

    private void arguments(AddArguments add) {
        List<StringNode> words = new ArrayList<>();
        List<String> args = at(add.container(), "args");
        if (writer.at(args).isEmpty()) {
            add.imageCommand().forEach(word -> words.add(text(word)));
        }
        switch (add.slot()) {
            case Slot.ArgsEnd end -> {
                add.words().forEach(word -> words.add(text(word)));
                writer.append(args, words);
            }
            case Slot.Before(String field, int index) -> {
                List<String> list = at(add.container(), field);
                if (!words.isEmpty()) {
                    writer.append(list, words);
                }
                if (index >= writer.at(list).size()) {
                    writer.append(list, add.words().stream().map(PodPatch::text).toList());
                    return;
                }
                for (int i = 0; i < add.words().size(); i++) {
                    writer.insert(list, index + i, text(add.words().get(i)));
                }
            }
            case Slot.InShellText ignored -> throw new IllegalStateException("shell texts are edited together: " + add);
        }
    }

    /** All words for one shell text, from the back to the front, so that the offsets in front stay right. */
    private void shellText(List<AddArguments> additions) {
        AddArguments any = additions.getFirst();
        if (!(any.slot() instanceof Slot.InShellText slot)) {
            throw new IllegalStateException("not a shell text: " + any);
        }
        List<String> list = at(any.container(), slot.field());
        StringBuilder shell =
                new StringBuilder(writer.at(list).path(slot.index()).asString(""));
        // Of two for the same place the first comes first, so it is put in last.
        additions.reversed().stream()
                .sorted(Comparator.comparingInt(PodPatch::offset).reversed())
                .forEach(add -> shell.insert(
                        offset(add),
                        add.words().stream()
                                .map(word -> " " + ShellQuote.quoted(word))
                                .collect(Collectors.joining())));
        writer.replaceElement(list, slot.index(), text(shell.toString()));
    }

    private static int offset(AddArguments add) {
        return add.slot() instanceof Slot.InShellText slot ? slot.offset() : 0;
    }

    private void wrap(Change.WrapCommand wrap) {
        List<String> command = at(wrap.container(), "command");
        writer.insert(command, 0, text(wrap.shell()));
        writer.insert(command, 1, text("-c"));
        writer.insert(command, 2, text(wrap.script()));
    }

    private void variable(Change.AddVariable add) {
        ObjectNode variable = NODES.objectNode();
        variable.put("name", add.name());
        switch (add.value()) {
            case Change.AddVariable.Value.Text(String value) -> variable.put("value", value);
            case Change.AddVariable.Value.Field(String path) ->
                variable.putObject("valueFrom").putObject("fieldRef").put("fieldPath", path);
        }
        writer.append(at(add.container(), "env"), List.of(variable));
    }

    private void sharedMemory(Change.AddSharedMemory memory) {
        List<String> volumes = List.of("spec", "volumes");
        boolean isThere = writer.at(volumes)
                .valueStream()
                .anyMatch(volume -> Trees.text(volume, "name").equals(memory.volume()));
        if (!isThere) {
            ObjectNode volume = NODES.objectNode();
            volume.put("name", memory.volume());
            volume.putObject("emptyDir")
                    .put("medium", "Memory")
                    .put("sizeLimit", memory.size().toString());
            writer.append(volumes, List.of(volume));
        }
        ObjectNode mount = NODES.objectNode();
        mount.put("name", memory.volume()).put("mountPath", "/dev/shm");
        writer.append(at(memory.container(), "volumeMounts"), List.of(mount));
    }

    private void probe(Change.AddProbe add) {
        ObjectNode probe = NODES.objectNode();
        probe.putObject("httpGet")
                .put("path", "/health")
                .put("port", add.port())
                .put("scheme", add.scheme());
        probe.put("periodSeconds", add.periodSeconds())
                .put("timeoutSeconds", 5)
                .put("failureThreshold", add.failureThreshold());
        writer.put(at(add.container(), add.kind().field()), probe);
    }

    private static List<String> at(Place place, String... steps) {
        return child(List.of("spec", place.list(), Integer.toString(place.index())), steps);
    }

    private static StringNode text(String value) {
        return StringNode.valueOf(value);
    }
}
