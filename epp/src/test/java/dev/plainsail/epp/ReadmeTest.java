package dev.plainsail.epp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.observability.EppMetrics;
import dev.plainsail.epp.routing.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The tables of README.md say what the code does. */
final class ReadmeTest {
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\|([^|]*)\\|.*");

    /** First column to second, of the table under a heading. */
    private static Map<String, String> table(String heading) throws IOException {
        Map<String, String> rows = new TreeMap<>();
        for (String line : section(heading)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                rows.put(row.group(1), row.group(2).strip());
            }
        }
        assertThat(rows).as("rows under %s", heading).isNotEmpty();
        return rows;
    }

    private static List<String> section(String heading) throws IOException {
        List<String> section = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(Path.of("README.md"))) {
            if (line.startsWith("## ")) {
                inside = line.equals("## " + heading);
            } else if (inside) {
                section.add(line);
            }
        }
        return section;
    }

    @Test
    void everyReasonHasARowWithItsStatus() throws IOException {
        Map<String, String> expected = new TreeMap<>();
        for (Reason reason : Reason.values()) {
            expected.put(reason.label(), Integer.toString(reason.status()));
        }
        assertThat(table("Status codes and reasons")).isEqualTo(expected);
    }

    @Test
    void everyFlagHasARow() throws IOException {
        List<String> flags = new CommandLine(new Flags())
                .getCommandSpec().options().stream()
                        .filter(option -> !option.hidden())
                        .map(CommandLine.Model.OptionSpec::longestName)
                        .toList();
        assertThat(table("Flags").keySet()).containsExactlyInAnyOrderElementsOf(flags);
        String text = String.join("\n", section("Flags"));
        assertThat(Flags.IGNORED).allSatisfy(flag -> assertThat(text).contains("`" + flag + "`"));
    }

    @Test
    void everyMetricHasARowWithItsKind() throws IOException {
        EppMetrics metrics = new EppMetrics();
        Map<String, String> expected = new TreeMap<>();
        TouchedMetrics.touch(metrics);
        metrics.registry().scrape().forEach(snapshot -> {
            String name = snapshot.getMetadata().getPrometheusName();
            if (!name.startsWith("jvm_") && !name.startsWith("process_")) {
                String kind = snapshot.getClass()
                        .getSimpleName()
                        .replace("Snapshot", "")
                        .toLowerCase(Locale.ROOT);
                String suffix = switch (kind) {
                    case "counter" -> "_total";
                    case "info" -> "_info";
                    default -> "";
                };
                expected.put(name + suffix, kind);
            }
        });
        assertThat(table("Metrics")).isEqualTo(expected);
    }
}
