package dev.plainsail.webhook.command;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MappingIterator;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/** Kubernetes manifests as text and as trees; a List is its items. */
final class Manifests {

    static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
            .enable(YAMLWriteFeature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
            .disable(YAMLWriteFeature.SPLIT_LINES)
            .build();

    private Manifests() {}

    static List<JsonNode> read(byte[] bytes) {
        List<JsonNode> result = new ArrayList<>();
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(bytes)) {
            while (documents.hasNextValue()) {
                JsonNode document = documents.nextValue();
                if (document.path("kind").asString("").equals("List")
                        && document.path("items").isArray()) {
                    document.path("items").forEach(result::add);
                } else if (document.isObject()) {
                    result.add(document);
                }
            }
        }
        return result;
    }

    static String yaml(JsonNode object) {
        return YAML.writeValueAsString(object);
    }

    /** As {@code Deployment team-a/qwen}. */
    static String title(JsonNode object) {
        String namespace = object.path("metadata").path("namespace").asString("");
        String name = object.path("metadata")
                .path("name")
                .asString(object.path("metadata").path("generateName").asString("?"));
        return object.path("kind").asString("?") + " " + (namespace.isEmpty() ? "" : namespace + "/") + name;
    }
}
