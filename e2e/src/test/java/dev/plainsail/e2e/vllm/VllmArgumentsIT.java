package dev.plainsail.e2e.vllm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.engine.Flag;
import dev.plainsail.webhook.engine.Vllm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * What the webhook makes of every pod of its golden corpus, told to the real vLLM's own parser: whatever command line was good
 * before us is good after us, flags and JSON values alike. Skipped with one line when vLLM is not installed.
 */
final class VllmArgumentsIT {
    private static final ObjectMapper YAML = new YAMLMapper();
    private static final ObjectMapper JSON = JsonMapper.shared();
    /** The flags of our table that are never written, only read, besides those whose note says so. */
    private static final Set<EngineOption> NEVER_WRITTEN = Set.of(EngineOption.HOST);

    /** The engine's words before us and after us. */
    private record Change(String golden, List<String> before, List<String> after) {}

    @Test
    void whatWeInjectIsAcceptedByTheRealParser() throws Exception {
        Optional<VllmInstallation> installation = VllmInstallation.wanted(System.getenv(), Path.of("vllm"));
        assumeTrue(installation.isPresent(), "the real vLLM is not installed");
        List<Change> changes = changes();
        List<List<String>> asked = new ArrayList<>();
        changes.forEach(change -> asked.addAll(List.of(change.before(), change.after())));
        List<Optional<String>> complaints = complaints(installation.orElseThrow(), asked);
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

    private static List<String> written() {
        return new Vllm()
                .flags().flags().stream()
                        .filter(flag -> !flag.note().contains("read only") && !NEVER_WRITTEN.contains(flag.option()))
                        .map(Flag::spelling)
                        .toList();
    }

    private static List<Change> changes() throws IOException {
        List<Change> changes = new ArrayList<>();
        Path root = Checkout.find().root().resolve("webhook/src/test/resources/golden");
        try (Stream<Path> files = Files.walk(root)) {
            for (Path expected : files.filter(file -> file.endsWith("expected.yaml"))
                    .sorted()
                    .toList()) {
                JsonNode before = YAML.readTree(expected.resolveSibling("input.yaml"));
                JsonNode after = YAML.readTree(expected);
                for (int i = 0; i < before.at("/spec/containers").size(); i++) {
                    Optional<List<String>> ours = words(after.at("/spec/containers/" + i));
                    String name = root.relativize(expected).toString();
                    words(before.at("/spec/containers/" + i))
                            .filter(words -> ours.isPresent() && !ours.get().equals(words))
                            .ifPresent(words -> changes.add(new Change(name, words, ours.orElseThrow())));
                }
            }
        }
        return changes;
    }

    /** What stands behind {@code vllm serve}, in the image's entrypoint or in the pod; shell texts are run elsewhere. */
    private static Optional<List<String>> words(JsonNode container) {
        List<String> words = new ArrayList<>();
        boolean isEntrypoint = container.path("command").isEmpty()
                && container.path("image").asString("").contains("vllm/vllm-openai");
        if (isEntrypoint) {
            words.addAll(List.of("vllm", "serve"));
        }
        for (String field : List.of("command", "args")) {
            container
                    .path(field)
                    .forEach(word -> words.add(word.asString("").replaceAll("\\$\\([A-Z_]+\\)", "127.0.0.1")));
        }
        int serve = Collections.indexOfSubList(words, List.of("vllm", "serve"));
        int module = words.indexOf("vllm.entrypoints.openai.api_server");
        if (serve < 0 && module < 0) {
            return Optional.empty();
        }
        return Optional.of(words.subList(serve >= 0 ? serve + 2 : module + 1, words.size()));
    }

    private static List<Optional<String>> complaints(VllmInstallation installation, List<List<String>> asked)
            throws IOException, InterruptedException {
        Path input = Files.createTempFile("words", ".jsonl");
        Files.write(input, asked.stream().map(JSON::writeValueAsString).toList());
        Process process = new ProcessBuilder(installation.python().toString(), "src/main/vllm/check_words.py")
                .redirectInput(input.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
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
