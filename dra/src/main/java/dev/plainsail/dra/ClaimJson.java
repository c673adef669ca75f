package dev.plainsail.dra;

import java.util.List;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Claims to JSON; {@link ClaimReader} is the way back. */
final class ClaimJson {

    /** Keeps decimals as they were written: 1.0 stays 1.0. */
    static final JsonNodeFactory NODES = new JsonNodeFactory();

    static final JsonMapper MAPPER = JsonMapper.builder().build();

    private ClaimJson() {}

    static String canonical(DeviceClaim claim) {
        return text(tree(claim));
    }

    /** Compact JSON with the keys of every object sorted. */
    static String text(JsonNode tree) {
        return MAPPER.writeValueAsString(sorted(tree));
    }

    static ObjectNode tree(DeviceClaim claim) {
        ObjectNode devices = NODES.objectNode();
        ArrayNode requests = devices.putArray("requests");
        claim.requests().forEach(request -> requests.add(request(request)));
        if (!claim.constraints().isEmpty()) {
            ArrayNode constraints = devices.putArray("constraints");
            claim.constraints().forEach(constraint -> {
                ObjectNode node = constraints.addObject();
                names(node, constraint.requests());
                node.put(constraint.relation().field(), constraint.attribute());
            });
        }
        if (!claim.config().isEmpty()) {
            ArrayNode config = devices.putArray("config");
            claim.config().forEach(entry -> {
                ObjectNode node = config.addObject();
                names(node, entry.requests());
                ObjectNode opaque = node.putObject("opaque");
                opaque.put("driver", entry.driver());
                opaque.set("parameters", MAPPER.readTree(entry.parameters()));
            });
        }
        return devices;
    }

    private static void names(ObjectNode node, List<String> requests) {
        if (!requests.isEmpty()) {
            requests.forEach(node.putArray("requests")::add);
        }
    }

    private static ObjectNode request(DeviceRequest request) {
        ObjectNode node = NODES.objectNode();
        node.put("name", request.name());
        switch (request) {
            case DeviceRequest.Exactly exactly -> fill(node.putObject("exactly"), exactly.selection());
            case DeviceRequest.FirstAvailable firstAvailable -> {
                ArrayNode alternatives = node.putArray("firstAvailable");
                firstAvailable.alternatives().forEach(alternative -> {
                    ObjectNode entry = alternatives.addObject();
                    entry.put("name", alternative.name());
                    fill(entry, alternative.selection());
                });
            }
        }
        return node;
    }

    private static void fill(ObjectNode node, DeviceSelection selection) {
        node.put("deviceClassName", selection.deviceClassName());
        if (!selection.selectors().isEmpty()) {
            ArrayNode selectors = node.putArray("selectors");
            selection
                    .selectors()
                    .forEach(cel -> selectors.addObject().putObject("cel").put("expression", cel));
        }
        switch (selection.allocation()) {
            case DeviceSelection.Allocation.ExactCount(long count) -> {
                node.put("allocationMode", "ExactCount");
                node.put("count", count);
            }
            case DeviceSelection.Allocation.All() -> node.put("allocationMode", "All");
        }
        if (!selection.tolerations().isEmpty()) {
            ArrayNode tolerations = node.putArray("tolerations");
            selection.tolerations().forEach(toleration -> {
                ObjectNode entry = tolerations.addObject();
                new TreeMap<>(toleration.texts()).forEach(entry::put);
                toleration.tolerationSeconds().ifPresent(seconds -> entry.put("tolerationSeconds", seconds));
            });
        }
        if (!selection.capacity().isEmpty()) {
            ObjectNode amounts = node.putObject("capacity").putObject("requests");
            selection.capacity().forEach((name, quantity) -> amounts.put(name, quantity.toString()));
        }
    }

    private static JsonNode sorted(JsonNode node) {
        if (node instanceof ObjectNode object) {
            TreeMap<String, JsonNode> fields = new TreeMap<>();
            object.properties().forEach(field -> fields.put(field.getKey(), sorted(field.getValue())));
            ObjectNode result = NODES.objectNode();
            fields.forEach(result::set);
            return result;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode result = NODES.arrayNode();
            array.forEach(element -> result.add(sorted(element)));
            return result;
        }
        return node;
    }
}
