package dev.plainsail.webhook.command;

import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.plan.InjectionSettingsReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** The options that say which manifests, under which settings. */
final class ManifestOptions {

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "FILE",
            description = "Manifest, folder of manifests, or - for standard input; may be repeated.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "The webhook's settings file; its key `injection` decides what is injected.")
    @Nullable
    private Path config;

    /** A document and where it comes from. */
    record Document(String source, JsonNode object) {}

    boolean hasFiles() {
        return !files.isEmpty();
    }

    InjectionSettings settings() throws IOException {
        if (config == null) {
            return InjectionSettings.defaults();
        }
        JsonNode tree = Manifests.YAML.readTree(Files.readString(config)).path("injection");
        return switch (tree.isMissingNode()
                ? new InjectionSettingsReader.Read.Accepted(InjectionSettings.defaults())
                : InjectionSettingsReader.read(tree)) {
            case InjectionSettingsReader.Read.Accepted(InjectionSettings settings) -> settings;
            case InjectionSettingsReader.Read.Refused refused ->
                throw new IOException(config + ": "
                        + refused.problems().stream()
                                .map(problem -> "injection." + problem.path() + ": " + problem.detail())
                                .collect(Collectors.joining("; ")));
        };
    }

    /** @throws ParameterException if no file was named */
    List<Document> documents(CommandLine command, InputStream in) throws IOException {
        if (files.isEmpty()) {
            throw new ParameterException(command, "Missing required option: '--filename=FILE'");
        }
        List<Document> documents = new ArrayList<>();
        for (String file : files) {
            if (file.equals("-")) {
                add(documents, "standard input", in.readAllBytes());
            } else if (Files.isDirectory(Path.of(file))) {
                for (Path path : manifests(Path.of(file))) {
                    add(documents, path.toString(), Files.readAllBytes(path));
                }
            } else if (Files.exists(Path.of(file))) {
                add(documents, file, Files.readAllBytes(Path.of(file)));
            } else {
                throw new IOException(file + ": there is no such file");
            }
        }
        return documents;
    }

    private static List<Path> manifests(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.filter(path -> path.toString().matches(".*\\.(ya?ml|json)"))
                    .sorted()
                    .toList();
        }
    }

    private static void add(List<Document> documents, String source, byte[] bytes) throws IOException {
        try {
            Manifests.read(bytes).forEach(object -> documents.add(new Document(source, object)));
        } catch (JacksonException e) {
            throw new IOException(
                    source + ": is not YAML: "
                            + e.getOriginalMessage().lines().findFirst().orElse(""),
                    e);
        }
    }
}
