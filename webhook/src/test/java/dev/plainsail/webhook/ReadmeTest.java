package dev.plainsail.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.webhook.engine.Engine;
import dev.plainsail.webhook.engine.Engines;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.InjectionSettingsReader;
import dev.plainsail.webhook.plan.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tables of {@code README.md} have a row for everything that the code has, and for nothing else. */
class ReadmeTest {

    private static List<String> rows(String heading) throws IOException {
        List<String> rows = new ArrayList<>();
        boolean isInside = false;
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            if (line.startsWith("#")) {
                isInside = line.equals("## " + heading);
            } else if (isInside && line.startsWith("| `")) {
                rows.add(line);
            }
        }
        return rows;
    }

    private static String cell(String row, int column) {
        return row.split("(?<!\\\\)\\|")[column + 1].trim();
    }

    @Test
    void annotations() throws IOException {
        List<String> expected = new ArrayList<>();
        for (Annotations.Input input : Annotations.Input.values()) {
            expected.add("`" + input.key().substring(Annotations.PREFIX.length()) + "` "
                    + input.grammar().replace("|", "\\|"));
        }
        assertThat(rows("Annotations"))
                .extracting(row -> cell(row, 0) + " " + cell(row, 1))
                .containsExactlyElementsOf(expected);
    }

    @Test
    void reasonsAndWarnings() throws IOException {
        assertThat(rows("Refusals"))
                .extracting(row -> cell(row, 0))
                .containsExactlyElementsOf(List.of(Reason.values()).stream()
                        .map(reason -> "`" + reason.label() + "`")
                        .toList());
        assertThat(rows("Warnings"))
                .extracting(row -> cell(row, 0))
                .containsExactlyElementsOf(List.of(Caution.values()).stream()
                        .map(caution -> "`" + caution.label() + "`")
                        .toList());
    }

    @Test
    void engineFlags() throws IOException {
        for (Engine engine : Engines.ALL) {
            List<String> expected = engine.flags().flags().stream()
                    .map(flag -> "`" + String.join("`, `", flag.spellings()) + "` " + flag.note())
                    .map(String::trim)
                    .toList();
            assertThat(rows("Flags of " + engine.title()))
                    .extracting(row -> (cell(row, 0) + " " + cell(row, 1)).trim())
                    .containsExactlyElementsOf(expected);
        }
    }

    @Test
    void injectionSettings() throws IOException {
        assertThat(rows("Injection settings"))
                .extracting(row -> cell(row, 0) + " " + cell(row, 1) + " " + cell(row, 2))
                .containsExactlyElementsOf(InjectionSettingsReader.KEYS.stream()
                        .map(key -> "`" + key.name() + "` "
                                + (key.fallback().isEmpty() ? "" : "`" + key.fallback() + "`") + " "
                                + key.meaning().replace("|", "\\|"))
                        .toList());
    }

    @Test
    void settings() throws IOException {
        assertThat(rows("Settings"))
                .extracting(row -> cell(row, 0) + " " + cell(row, 1) + " " + cell(row, 2))
                .containsExactlyElementsOf(List.of(SettingsKey.values()).stream()
                        .map(key -> "`" + key.key() + "` "
                                + (key.fallback().isEmpty() ? "" : "`" + key.shownDefault() + "`") + " "
                                + key.meaning())
                        .toList());
    }

    @Test
    void metrics() throws IOException {
        assertThat(rows("Metrics"))
                .extracting(row -> cell(row, 0))
                .containsExactly(
                        "`" + WebhookMetrics.DECISIONS + "`",
                        "`" + WebhookMetrics.PROBLEMS + "`",
                        "`" + WebhookMetrics.WARNINGS + "`",
                        "`" + WebhookMetrics.SECONDS + "`",
                        "`" + WebhookMetrics.ANSWERS + "`",
                        "`" + WebhookMetrics.CERTIFICATE_EXPIRES + "`",
                        "`" + WebhookMetrics.CERTIFICATE_FAILURES + "`",
                        "`" + WebhookMetrics.TEMPLATES + "`");
    }
}
