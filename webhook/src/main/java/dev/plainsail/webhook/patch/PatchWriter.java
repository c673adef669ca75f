package dev.plainsail.webhook.patch;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes RFC 6902 operations and keeps the tree as it will be after them, so that each operation fits what the earlier ones
 * left. Missing parents are made once, together with what goes into them; {@code null} counts as missing.
 *
 * <p>Neither the tree nor a value that was handed over is ever written to: what changes is copied first, and what does not is
 * shared (path copying, as persistent data structures do).
 */
public final class PatchWriter {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Set<JsonNode> ours = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayNode operations = NODES.arrayNode();
    private final JsonNode after;

    public PatchWriter(JsonNode tree) {
        this.after = copied(tree);
    }

    public ArrayNode operations() {
        return operations;
    }

    /** The whole tree as it will be. */
    public JsonNode result() {
        return after;
    }

    /** The node at this path as it will be; missing if there is none. */
    public JsonNode at(List<String> path) {
        JsonNode node = after;
        for (String step : path) {
            node = step(node, step);
        }
        return node;
    }

    private static JsonNode step(JsonNode node, String step) {
        return node.isArray() ? node.path(Integer.parseInt(step)) : node.path(step);
    }

    /** The container at a path that is there, ours from now on, as are those above it. */
    private JsonNode writable(List<String> path) {
        JsonNode node = after;
        for (String step : path) {
            JsonNode child = step(node, step);
            if (!ours.contains(child)) {
                child = copied(child);
                if (node instanceof ArrayNode array) {
                    array.set(Integer.parseInt(step), child);
                } else {
                    ((ObjectNode) node).set(step, child);
                }
            }
            node = child;
        }
        return node;
    }

    /** A container of the same children. */
    private JsonNode copied(JsonNode node) {
        JsonNode copy = switch (node) {
            case ObjectNode object -> NODES.objectNode().setAll(object);
            case ArrayNode array -> NODES.arrayNode(array.size()).addAll(array);
            default -> node;
        };
        ours.add(copy);
        return copy;
    }

    /** Puts a value under a key, replacing what is there. */
    public void put(List<String> path, JsonNode value) {
        if (isPresent(at(path))) {
            operation("replace", path, value);
            ((ObjectNode) writable(parent(path))).set(path.getLast(), value);
            return;
        }
        add(path, value);
    }

    /** Puts a value under a key that is not there. */
    public void add(List<String> path, JsonNode value) {
        List<String> target = path;
        JsonNode wrapped = value;
        while (target.size() > 1 && !isPresent(at(parent(target)))) {
            ObjectNode holder = NODES.objectNode();
            holder.set(target.getLast(), wrapped);
            wrapped = holder;
            target = parent(target);
        }
        operation("add", target, wrapped);
        ((ObjectNode) writable(parent(target))).set(target.getLast(), wrapped);
    }

    /** Adds elements behind the last of an array, which is made if it is missing. */
    public void append(List<String> path, List<? extends JsonNode> values) {
        if (values.isEmpty()) {
            return;
        }
        if (!isPresent(at(path))) {
            ArrayNode array = NODES.arrayNode();
            values.forEach(array::add);
            add(path, array);
            return;
        }
        List<String> end = child(path, "-");
        ArrayNode array = (ArrayNode) writable(path);
        for (JsonNode value : values) {
            operation("add", end, value);
            array.add(value);
        }
    }

    /** Adds an element before that index of an array that is there. */
    public void insert(List<String> path, int index, JsonNode value) {
        operation("add", child(path, Integer.toString(index)), value);
        ((ArrayNode) writable(path)).insert(index, value);
    }

    /** Replaces an element of an array. */
    public void replaceElement(List<String> path, int index, JsonNode value) {
        operation("replace", child(path, Integer.toString(index)), value);
        ((ArrayNode) writable(path)).set(index, value);
    }

    /** Removes a key that is there. */
    public void remove(List<String> path) {
        ObjectNode operation = operations.addObject();
        operation.put("op", "remove").put("path", pointer(path));
        ((ObjectNode) writable(parent(path))).remove(path.getLast());
    }

    private void operation(String name, List<String> path, JsonNode value) {
        ObjectNode operation = operations.addObject();
        operation.put("op", name).put("path", pointer(path)).set("value", value);
    }

    private static boolean isPresent(JsonNode node) {
        return !node.isMissingNode() && !node.isNull();
    }

    private static List<String> parent(List<String> path) {
        return path.subList(0, path.size() - 1);
    }

    public static List<String> child(List<String> path, String... steps) {
        List<String> result = new ArrayList<>(path);
        result.addAll(List.of(steps));
        return result;
    }

    /** RFC 6901, with {@code ~} and {@code /} escaped. */
    static String pointer(List<String> path) {
        StringBuilder text = new StringBuilder();
        path.forEach(step -> text.append('/').append(step.replace("~", "~0").replace("/", "~1")));
        return text.toString();
    }
}
