package dev.plainsail.webhook.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Our table against the flags that the real vLLM 0.32.0 lists of itself. */
class VllmFlagsTest {

    private static final Path REAL = Path.of("../e2e/src/main/resources/dev/plainsail/e2e/engine/vllm-flags.tsv");

    @Test
    void everySpellingIsOneOfTheRealEngine() throws IOException {
        Set<String> real = new HashSet<>();
        for (String line : Files.readAllLines(REAL)) {
            real.addAll(List.of(line.split("[\\s,/|]+")));
        }
        assertThat(real).as("flags of the real engine").hasSizeGreaterThan(200);
        for (Flag flag : new Vllm().flags().flags()) {
            assertThat(real).as(flag.option().name()).containsAll(flag.spellings());
        }
    }
}
