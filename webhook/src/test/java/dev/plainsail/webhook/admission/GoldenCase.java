package dev.plainsail.webhook.admission;

import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.plan.InjectionSettingsReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/** A folder under {@code golden/}: what is sent, and what has to come back. */
record GoldenCase(String name, Path folder) {

    static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
            .enable(YAMLWriteFeature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
            .disable(YAMLWriteFeature.SPLIT_LINES)
            .build();

    static List<GoldenCase> all() throws IOException {
        Path root = Path.of("src/test/resources/golden");
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.endsWith("input.yaml"))
                    .map(Path::getParent)
                    .sorted()
                    .map(folder -> new GoldenCase(root.relativize(folder).toString(), folder))
                    .toList();
        }
    }

    Path file(String file) {
        return folder.resolve(file);
    }

    boolean has(String file) {
        return Files.exists(file(file));
    }

    JsonNode tree(String file) throws IOException {
        return YAML.readTree(Files.readString(file(file)));
    }

    Optional<JsonNode> optionalTree(String file) throws IOException {
        return has(file) ? Optional.of(tree(file)) : Optional.empty();
    }

    List<String> lines(String file) throws IOException {
        return has(file) ? Files.readAllLines(file(file)) : List.of();
    }

    InjectionSettings settings() throws IOException {
        if (!has("settings.yaml")) {
            return InjectionSettings.defaults();
        }
        return switch (InjectionSettingsReader.read(tree("settings.yaml"))) {
            case InjectionSettingsReader.Read.Accepted(InjectionSettings settings) -> settings;
            case InjectionSettingsReader.Read.Refused refused ->
                throw new IllegalArgumentException(name + "/settings.yaml: " + refused.problems());
        };
    }

    /** A handler as the case wants it, which tells what it decides. */
    AdmissionHandler handler(DeviceExpressions expressions, List<Decision> seen) throws IOException {
        return new AdmissionHandler(
                settings(), cluster(), (kind, decision, nanos) -> seen.add(decision), System::nanoTime, expressions);
    }

    /** From {@code cluster.yaml}, a multi-document file of API objects. */
    ClusterView cluster() throws IOException {
        if (!has("cluster.yaml")) {
            return ClusterView.UNKNOWN;
        }
        TreeMap<String, List<JsonNode>> byKind = new TreeMap<>();
        try (var documents =
                YAML.readerFor(JsonNode.class).<JsonNode>readValues(Files.readString(file("cluster.yaml")))) {
            while (documents.hasNextValue()) {
                JsonNode document = documents.nextValue();
                byKind.computeIfAbsent(document.path("kind").asString(""), kind -> new ArrayList<>())
                        .add(document);
            }
        }
        ClusterView.Snapshot snapshot = new ClusterView.Snapshot(
                byKind.getOrDefault("DeviceClass", List.of()),
                byKind.getOrDefault("ResourceSlice", List.of()),
                byKind.getOrDefault("ResourceClaim", List.of()),
                byKind.getOrDefault("ResourceQuota", List.of()));
        return () -> Optional.of(snapshot);
    }
}
