package dev.plainsail.e2e.vllm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.engine.Vllm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Our flags and JSON values before the real vLLM's own parser. Skipped with one line when vLLM is not installed. */
final class VllmArgumentsIT {

    @Test
    void whatWeInjectIsAcceptedByTheRealParser() throws Exception {
        Optional<VllmInstallation> installation = VllmInstallation.wanted(System.getenv(), Path.of("vllm"));
        assumeTrue(installation.isPresent(), "the real vLLM is not installed");
        new ParserProof(
                        new Vllm(),
                        installation.orElseThrow().python(),
                        Map.of(),
                        Path.of("src/main/vllm/check_words.py"),
                        VllmArgumentsIT::words,
                        Set.of(EngineOption.HOST))
                .run();
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
}
