package dev.plainsail.webhook.patch;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes RFC 6902 operations and keeps a copy of the tree as it will be after them, so that each operation fits what the
 * earlier ones left. Missing parents are made once, together with what goes into them; {@code null} counts as missing.
 */
public final class PatchWriter {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final JsonNode after;
    private final ArrayNode operations = NODES.arrayNode();

    /** @param tree is copied, never written to */
    public PatchWriter(JsonNode tree) {
        this.after = tree.deepCopy();
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
            node = node.isArray() ? node.path(Integer.parseInt(step)) : node.path(step);
        }
        return node;
    }

    /** Puts a value under a key, replacing what is there. */
    public void put(List<String> path, JsonNode value) {
        if (isPresent(at(path))) {
            operation("replace", path, value);
            ((ObjectNode) at(parent(path))).set(path.getLast(), value);
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
        ((ObjectNode) at(parent(target))).set(target.getLast(), wrapped.deepCopy());
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
        for (JsonNode value : values) {
            operation("add", child(path, "-"), value);
            ((ArrayNode) at(path)).add(value.deepCopy());
        }
    }

    /** Adds an element before that index of an array that is there. */
    public void insert(List<String> path, int index, JsonNode value) {
        operation("add", child(path, Integer.toString(index)), value);
        ((ArrayNode) at(path)).insert(index, value.deepCopy());
    }

    /** Replaces an element of an array. */
    public void replaceElement(List<String> path, int index, JsonNode value) {
        operation("replace", child(path, Integer.toString(index)), value);
        ((ArrayNode) at(path)).set(index, value.deepCopy());
    }

    /** Removes a key that is there. */
    public void remove(List<String> path) {
        ObjectNode operation = operations.addObject();
        operation.put("op", "remove").put("path", pointer(path));
        ((ObjectNode) at(parent(path))).remove(path.getLast());
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
