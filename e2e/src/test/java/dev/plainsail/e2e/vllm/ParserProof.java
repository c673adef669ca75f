package dev.plainsail.e2e.vllm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.webhook.engine.Engine;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.engine.Flag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * What the webhook makes of every pod of its golden corpus, told to an engine's own parser: whatever command line was good
 * before us is good after us, and every flag that we write is in one of them.
 *
 * @param python runs the script, with the environment
 * @param script reads lists of words as lines of JSON, and answers each with null or the parser's complaint
 * @param words what stands behind the engine's command in a container, shell texts excepted, which are run elsewhere
 * @param neverWritten options of the table that are only read, besides those whose note says so
 */
record ParserProof(
        Engine engine,
        Path python,
        Map<String, String> environment,
        Path script,
        Function<JsonNode, Optional<List<String>>> words,
        Set<EngineOption> neverWritten) {
    private static final ObjectMapper YAML = new YAMLMapper();
    private static final ObjectMapper JSON = JsonMapper.shared();

    /** The engine's words before us and after us. */
    private record Change(String golden, List<String> before, List<String> after) {}

    void run() throws IOException, InterruptedException {
        List<Change> changes = changes();
        List<List<String>> asked = new ArrayList<>();
        changes.forEach(change -> asked.addAll(List.of(change.before(), change.after())));
        List<Optional<String>> complaints = complaints(asked);
        List<String> broken = new ArrayList<>();
        Set<String> proved = new TreeSet<>();
        for (int i = 0; i < changes.size(); i++) {
            Change change = changes.get(i);
            Optional<String> before = complaints.get(2 * i);
            Optional<String> after = complaints.get(2 * i + 1);
            if (before.isEmpty() && after.isPresent()) {
                broken.add(change.golden() + " " + change.after() + ": " + after.get());
            } else if (after.isEmpty()) {
                change.after().stream()
                        .filter(word -> word.startsWith("-") && !change.before().contains(word))
                        .forEach(proved::add);
            }
        }
        assertThat(broken).isEmpty();
        assertThat(proved).as("flags of the table that no accepted case writes").containsAll(written());
    }

    private List<String> written() {
        return engine.flags().flags().stream()
                .filter(flag -> !flag.note().contains("read only") && !neverWritten.contains(flag.option()))
                .map(Flag::spelling)
                .toList();
    }

    private List<Change> changes() throws IOException {
        List<Change> changes = new ArrayList<>();
        Path root = Checkout.find().root().resolve("webhook/src/test/resources/golden");
        try (Stream<Path> files = Files.walk(root)) {
            for (Path expected : files.filter(file -> file.endsWith("expected.yaml"))
                    .sorted()
                    .toList()) {
                JsonNode before = YAML.readTree(expected.resolveSibling("input.yaml"));
                JsonNode after = YAML.readTree(expected);
                for (int i = 0; i < before.at("/spec/containers").size(); i++) {
                    Optional<List<String>> ours = words.apply(after.at("/spec/containers/" + i));
                    String name = root.relativize(expected).toString();
                    words.apply(before.at("/spec/containers/" + i))
                            .filter(theirs -> ours.isPresent() && !ours.get().equals(theirs))
                            .ifPresent(theirs -> changes.add(new Change(name, theirs, ours.orElseThrow())));
                }
            }
        }
        return changes;
    }

    private List<Optional<String>> complaints(List<List<String>> asked) throws IOException, InterruptedException {
        Path input = Files.createTempFile("words", ".jsonl");
        Files.write(input, asked.stream().map(JSON::writeValueAsString).toList());
        ProcessBuilder builder = new ProcessBuilder(python.toString(), script.toString())
                .redirectInput(input.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process process = builder.start();
        List<Optional<String>> complaints = process.inputReader()
                .lines()
                .filter(line -> line.equals("null") || line.startsWith("\""))
                .map(line -> Optional.ofNullable(JSON.readTree(line).asString(null)))
                .toList();
        assertThat(process.waitFor()).isZero();
        Files.delete(input);
        assertThat(complaints).hasSameSizeAs(asked);
        return complaints;
    }
}
