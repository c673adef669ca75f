package dev.plainsail.epp;

import dev.plainsail.epp.configuration.Nearest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The settings file that {@code --config} names: YAML, each key a flag without its dashes. What is on the command line
 * counts more than what is in the file.
 */
final class SettingsFile {
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private SettingsFile() {}

    /**
     * Reads a file into flags.
     *
     * @param known the names of all flags, without dashes
     * @param problems what is wrong is added here
     * @return by name, the values in order
     */
    static Map<String, List<String>> read(Path file, Collection<String> known, List<String> problems) {
        Map<String, List<String>> values = new TreeMap<>();
        JsonNode root;
        try {
            root = YAML.readTree(Files.readString(file));
        } catch (IOException e) {
            problems.add("--config: cannot read " + file + ": " + e);
            return values;
        } catch (JacksonException e) {
            problems.add("--config: " + file + " is no YAML: " + e.getOriginalMessage());
            return values;
        }
        if (root.isMissingNode() || root.isNull()) {
            return values;
        }
        if (!root.isObject()) {
            problems.add("--config: " + file + ": write key: value pairs");
            return values;
        }
        for (Map.Entry<String, JsonNode> each : root.properties()) {
            String where = "--config: " + file + ": " + each.getKey() + ": ";
            if (!known.contains(each.getKey())) {
                problems.add(where + "unknown" + Nearest.hint(each.getKey(), known));
                continue;
            }
            values.put(each.getKey(), texts(each.getValue(), where, problems));
        }
        return values;
    }

    private static List<String> texts(JsonNode value, String where, List<String> problems) {
        List<String> texts = new ArrayList<>();
        for (JsonNode item : value.isArray() ? value : List.of(value)) {
            if (item.isValueNode() && !item.isNull()) {
                texts.add(item.asString());
            } else {
                problems.add(where + "write a value");
            }
        }
        return texts;
    }
}
