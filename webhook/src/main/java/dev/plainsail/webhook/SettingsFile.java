package dev.plainsail.webhook;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The settings file with the flags laid over it, as one tree. */
final class SettingsFile {
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private SettingsFile() {}

    /** @param flags key to value; a value is read as YAML, as it would be in the file */
    static Settings.Read read(Optional<Path> file, Map<String, String> flags, Map<String, String> environment) {
        ObjectNode tree = YAML.createObjectNode();
        try {
            if (file.isPresent()) {
                tree.setAll(object(Files.readString(file.get())));
            }
        } catch (NoSuchFileException e) {
            return refused("config", file.toString(), "there is no such file");
        } catch (IOException e) {
            return refused("config", file.toString(), "cannot be read: " + e);
        } catch (JacksonException e) {
            return refused("config", String.valueOf(file.orElse(null)), "is not YAML: " + oneLine(e));
        } catch (IllegalArgumentException e) {
            return refused("config", String.valueOf(file.orElse(null)), String.valueOf(e.getMessage()));
        }
        for (Map.Entry<String, String> flag : flags.entrySet()) {
            try {
                tree.set(flag.getKey(), YAML.readTree(flag.getValue()));
            } catch (JacksonException e) {
                return refused("--" + flag.getKey(), flag.getValue(), "is not YAML: " + oneLine(e));
            }
        }
        return Settings.read(tree, environment);
    }

    private static ObjectNode object(String text) {
        JsonNode read = YAML.readTree(text);
        if (read == null || read.isMissingNode() || read.isNull()) {
            return YAML.createObjectNode();
        }
        if (read instanceof ObjectNode object) {
            return object;
        }
        throw new IllegalArgumentException("must hold lines of the form KEY: VALUE");
    }

    private static String oneLine(JacksonException e) {
        String line = e.getOriginalMessage().lines().findFirst().orElse("");
        return e.getLocation() == null
                ? line
                : line + " (line " + e.getLocation().getLineNr() + ")";
    }

    private static Settings.Read refused(String key, String value, String detail) {
        return new Settings.Read.Refused(List.of(new SettingsProblem(key, value, detail)));
    }
}
