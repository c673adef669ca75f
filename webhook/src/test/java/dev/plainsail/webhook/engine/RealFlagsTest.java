package dev.plainsail.webhook.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Our tables against the flags that vLLM 0.32.0 and SGLang 0.5.23 list of themselves: spelling, and how many words follow. */
class RealFlagsTest {

    private static final Path LISTS = Path.of("../e2e/src/main/resources/dev/plainsail/e2e/engine");
    /** As the lists say it: a flag without value, one with a --no- form, one value, several. */
    private static Set<String> kinds(Flag.Arity arity) {
        return switch (arity) {
            case SWITCH -> Set.of("flag", "not");
            case ONE -> Set.of("one");
            case MANY -> Set.of("some");
        };
    }

    @Test
    void vllm() throws IOException {
        Map<String, String> real = real("vllm-flags.tsv");
        for (Flag flag : new Vllm().flags().flags()) {
            assertThat(real)
                    .as(flag.option().name())
                    .containsKeys(flag.spellings().toArray(String[]::new));
            assertThat(kinds(flag.arity())).as(flag.option().name()).contains(real.getOrDefault(flag.spelling(), ""));
        }
    }

    @Test
    void switchesOfVllmAreKnownAsSuch() throws IOException {
        FlagTable table = new Vllm().flags();
        real("vllm-flags.tsv").forEach((name, kind) -> {
            boolean isOurs = table.spelled(name).isPresent() || name.equals("-h") || name.equals("--help");
            assertThat(isOurs
                            || table.isSwitch(name) == kinds(Flag.Arity.SWITCH).contains(kind))
                    .as(name + " is of kind " + kind)
                    .isTrue();
        });
    }

    @Test
    void sglang() throws IOException {
        Map<String, String> real = real("sglang-flags.tsv");
        for (Flag flag : new Sglang().flags().flags()) {
            assertThat(real).as("what we write").containsKey(flag.spelling());
            assertThat(kinds(flag.arity())).as(flag.option().name()).contains(real.getOrDefault(flag.spelling(), ""));
            // What we read may be a beginning, as Python's argparse takes it: --tp for --tp-size.
            for (String spelling : flag.spellings()) {
                assertThat(real.keySet()).as(flag.option().name()).anyMatch(name -> name.startsWith(spelling));
            }
        }
    }

    private static Map<String, String> real(String file) throws IOException {
        Map<String, String> kinds = new HashMap<>();
        for (String line : Files.readAllLines(LISTS.resolve(file))) {
            List<String> columns = List.of(line.split("\t", -1));
            for (String spelling : columns.getFirst().split(",", -1)) {
                kinds.put(spelling, columns.get(1));
            }
        }
        assertThat(kinds).as(file).hasSizeGreaterThan(200);
        return kinds;
    }
}
