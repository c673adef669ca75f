package dev.plainsail.dra;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the fields of one JSON object, noting every mistake with its path. A field that is {@code null} is absent,
 * as for the API server. Each accessor answers something harmless after a mistake, so that reading can go on.
 */
final class Fields {

    private final ObjectNode object;
    private final String path;
    private final List<ClaimProblem> problems;

    private Fields(ObjectNode object, String path, List<ClaimProblem> problems) {
        this.object = object;
        this.path = path;
        this.problems = problems;
    }

    /** Empty, with a problem noted, unless the node is an object that has only known fields. */
    static Optional<Fields> of(JsonNode node, String path, List<ClaimProblem> problems, List<String> known) {
        if (!(node instanceof ObjectNode object)) {
            problems.add(new ClaimProblem(path, shown(node), "must be an object with the fields " + list(known)));
            return Optional.empty();
        }
        for (String name : object.propertyNames()) {
            if (!known.contains(name)) {
                String child = path.isEmpty() ? name : path + "." + name;
                problems.add(new ClaimProblem(child, name, "unknown field; known here: " + list(known)));
            }
        }
        return Optional.of(new Fields(object, path, problems));
    }

    boolean has(String name) {
        return object.has(name) && !object.get(name).isNull();
    }

    String at(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    String path() {
        return path;
    }

    ObjectNode object() {
        return object;
    }

    void refuse(String name, String badValue, String detail) {
        problems.add(new ClaimProblem(name.isEmpty() ? path : at(name), badValue, detail));
    }

    Optional<String> text(String name) {
        if (!has(name)) {
            return Optional.empty();
        }
        JsonNode node = object.get(name);
        if (!node.isString()) {
            refuse(name, shown(node), "must be a text; put it in quotes");
            return Optional.empty();
        }
        return Optional.of(node.stringValue());
    }

    String requiredText(String name, String example) {
        if (!has(name)) {
            refuse(name, "", "is missing; write it, as in " + name + ": " + example);
        }
        return text(name).orElse("");
    }

    OptionalLong number(String name) {
        if (!has(name)) {
            return OptionalLong.empty();
        }
        JsonNode node = object.get(name);
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            refuse(name, shown(node), "must be a whole number, without quotes");
            return OptionalLong.empty();
        }
        return OptionalLong.of(node.longValue());
    }

    /** The elements of a list of at most {@code limit}, with their paths; empty if absent. */
    List<Element> list(String name, int limit) {
        if (!has(name)) {
            return List.of();
        }
        JsonNode node = object.get(name);
        if (!(node instanceof ArrayNode array)) {
            refuse(name, shown(node), "must be a list");
            return List.of();
        }
        if (array.size() > limit) {
            refuse(name, "", "has " + array.size() + " entries; at most " + limit + " are allowed");
        }
        List<Element> elements = new ArrayList<>();
        for (JsonNode element : array) {
            elements.add(new Element(element, at(name) + "[" + elements.size() + "]"));
        }
        return elements;
    }

    List<String> texts(String name, int limit) {
        List<String> result = new ArrayList<>();
        for (Element element : list(name, limit)) {
            if (element.node().isString()) {
                result.add(element.node().stringValue());
            } else {
                problems.add(new ClaimProblem(element.path(), shown(element.node()), "must be a text"));
            }
        }
        return result;
    }

    record Element(JsonNode node, String path) {}

    static String list(List<String> words) {
        return words.stream().collect(Collectors.joining(", "));
    }

    static String shown(JsonNode node) {
        return node.isString() ? node.stringValue() : node.toString();
    }
}
