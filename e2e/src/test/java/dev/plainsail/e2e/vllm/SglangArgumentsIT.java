package dev.plainsail.e2e.vllm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.engine.Sglang;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Our flags before the real SGLang's own parser, from its wheel, in vLLM's Python, which has most of what the parser imports;
 * nothing of it is run. Skipped with one line when vLLM is not installed or the wheel cannot be had.
 */
final class SglangArgumentsIT {
    private static final String VERSION = "0.5.23";
    /** SGLang, and what its parser imports that vLLM does not. */
    private static final List<String> WHEELS =
            List.of("sglang==" + VERSION, "orjson==3.13.0", "ipython==9.18.1", "traitlets==5.16.1");

    private static final Cache.Entry ENTRY = new Cache.Entry("sglang-" + VERSION, "SGLang " + VERSION, 200L << 20);

    @Test
    void whatWeInjectIsAcceptedByTheRealParser() throws Exception {
        Optional<VllmInstallation> vllm = VllmInstallation.wanted(System.getenv(), Path.of("vllm"));
        assumeTrue(vllm.isPresent(), "the real vLLM, whose Python this needs, is not installed");
        Path python = vllm.orElseThrow().python();
        Optional<Path> sglang = fetched(python);
        assumeTrue(sglang.isPresent(), "SGLang's wheel cannot be had");
        new ParserProof(
                        new Sglang(),
                        python,
                        Map.of("PYTHONPATH", sglang.orElseThrow().toString()),
                        Path.of("src/main/vllm/check_sglang_words.py"),
                        SglangArgumentsIT::words,
                        Set.of(EngineOption.HOST))
                .run();
    }

    private static Optional<Path> fetched(Path python) {
        try {
            return Optional.of(Cache.of(System.getenv(), Progress.console()).get(ENTRY, (folder, step) -> {
                List<String> command = Stream.concat(
                                Stream.of(
                                        python.toString(),
                                        "-m",
                                        "pip",
                                        "install",
                                        "--quiet",
                                        "--no-deps",
                                        "--target",
                                        folder.toString()),
                                WHEELS.stream())
                        .toList();
                if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
                    throw new IOException("pip did not fetch " + WHEELS);
                }
            }));
        } catch (UserError e) {
            System.err.println("SGLang's wheel cannot be had: " + e.getMessage());
            return Optional.empty();
        }
    }

    private static Optional<List<String>> words(JsonNode container) {
        List<String> words = new ArrayList<>();
        for (String field : List.of("command", "args")) {
            container.path(field).forEach(word -> words.add(word.asString("").replaceAll("\\$\\([A-Z_]+\\)", "1")));
        }
        int serve = Collections.indexOfSubList(words, List.of("sglang", "serve"));
        int module = words.indexOf("sglang.launch_server");
        if (serve < 0 && module < 0) {
            return Optional.empty();
        }
        return Optional.of(words.subList(serve >= 0 ? serve + 2 : module + 1, words.size()));
    }
}
