package dev.plainsail.epp;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.configuration.PickerConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReloadTest {
    private static final String HEAD = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n";

    @TempDir
    private Path folder = Path.of("");

    @Test
    void aChangedFileIsTakenOverAndABadOneKeepsTheLastGood() throws IOException {
        Path file = folder.resolve("config.yaml");
        String first = HEAD + "plugins: [{type: queue-scorer}]\n";
        Files.writeString(file, first);
        List<PickerConfiguration> taken = new CopyOnWriteArrayList<>();
        try (ConfigReload _ = ConfigReload.start(file, first, false, taken::add, Duration.ofMillis(20))) {
            Files.writeString(file, HEAD + "plugins: [{type: no-such-thing}]\n");
            await().pollDelay(Duration.ofMillis(150))
                    .untilAsserted(() -> assertThat(taken).isEmpty());
            Files.writeString(file, HEAD + "plugins: [{type: random-picker}]\n");
            await().untilAsserted(() -> assertThat(taken).hasSize(1));
            assertThat(taken.getFirst().effective()).contains("random-picker");
        }
    }
}
