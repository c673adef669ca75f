package dev.plainsail.dra;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The YAML (or JSON) form, down to a plain tree: no anchors, no aliases, no duplicate keys, one document.
 * Then {@link ClaimReader} judges the fields.
 */
final class YamlClaim {

    private static final int DEPTH = 32;

    private final List<ClaimProblem> problems = new ArrayList<>();

    private YamlClaim() {}

    static ParsedClaim parse(String text) {
        return new YamlClaim().read(text);
    }

    private ParsedClaim read(String text) {
        List<Node> documents = new ArrayList<>();
        try {
            // Anchors are kept, not resolved into sharing, so that they can be named in the refusal.
            LoadSettings settings = LoadSettings.builder()
                    .setAllowDuplicateKeys(true)
                    .setMaxAliasesForCollections(0)
                    .setCodePointLimit(64 * 1024)
                    .build();
            new Compose(settings).composeAllFromString(text).forEach(documents::add);
        } catch (MarkedYamlEngineException e) {
            String place = e.getProblemMark()
                    .map(mark -> "line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1) + ": ")
                    .orElse("");
            return refused("", place + "is not YAML: " + e.getProblem());
        } catch (YamlEngineException e) {
            return refused("", "is not YAML: " + firstLine(String.valueOf(e.getMessage())));
        }
        if (documents.size() != 1) {
            return refused("", "is " + documents.size() + " YAML documents; write one");
        }
        if (documents.getFirst() instanceof SequenceNode) {
            return refused("", "starts with '-'; put `requests:` above the list");
        }
        JsonNode tree = tree(documents.getFirst(), "", 0);
        return problems.isEmpty() ? new ClaimReader().read(tree) : new ParsedClaim.Refused(problems);
    }

    private static ParsedClaim refused(String badValue, String detail) {
        return new ParsedClaim.Refused(List.of(new ClaimProblem("", badValue, detail)));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }

    private JsonNode tree(Node node, String path, int depth) {
        if (depth > DEPTH) {
            problem(node, path, "", "is nested more than " + DEPTH + " levels deep");
            return ClaimJson.NODES.nullNode();
        }
        node.getAnchor()
                .ifPresent(anchor ->
                        problem(node, path, "&" + anchor.getValue(), "anchors are not allowed; repeat the text"));
        return switch (node) {
            case MappingNode mapping -> mapping(mapping, path, depth);
            case SequenceNode sequence -> sequence(sequence, path, depth);
            case ScalarNode scalar -> scalar(scalar, path);
            default -> {
                problem(node, path, "", "is a kind of YAML that is not allowed here");
                yield ClaimJson.NODES.nullNode();
            }
        };
    }

    private ObjectNode mapping(MappingNode mapping, String path, int depth) {
        ObjectNode object = ClaimJson.NODES.objectNode();
        Set<String> keys = new HashSet<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode keyNode)) {
                problem(tuple.getKeyNode(), path, "", "has a key that is not a word");
                continue;
            }
            String key = keyNode.getValue();
            String child = path.isEmpty() ? key : path + "." + key;
            if (!keys.add(key)) {
                problem(keyNode, child, key, "is there twice; keep one");
            }
            object.set(key, tree(tuple.getValueNode(), child, depth + 1));
        }
        return object;
    }

    private ArrayNode sequence(SequenceNode sequence, String path, int depth) {
        ArrayNode array = ClaimJson.NODES.arrayNode();
        for (Node element : sequence.getValue()) {
            array.add(tree(element, path + "[" + array.size() + "]", depth + 1));
        }
        return array;
    }

    private JsonNode scalar(ScalarNode scalar, String path) {
        Tag tag = scalar.getTag();
        String value = scalar.getValue();
        if (tag.equals(Tag.STR)) {
            return ClaimJson.NODES.stringNode(value);
        }
        if (tag.equals(Tag.NULL)) {
            return ClaimJson.NODES.nullNode();
        }
        if (tag.equals(Tag.BOOL)) {
            return ClaimJson.NODES.booleanNode(Boolean.parseBoolean(value));
        }
        if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
            try {
                return ClaimJson.MAPPER.readTree(value);
            } catch (JacksonException e) {
                problem(scalar, path, value, "is no number that JSON knows; quote it if it is a text");
                return ClaimJson.NODES.nullNode();
            }
        }
        problem(scalar, path, value, "has the tag " + tag.getValue() + ", which is not allowed");
        return ClaimJson.NODES.nullNode();
    }

    private void problem(Node node, String path, String badValue, String detail) {
        String place = node.getStartMark()
                .map(mark -> "line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1) + ": ")
                .orElse("");
        problems.add(new ClaimProblem(path, badValue, place + detail));
    }
}
