package dev.plainsail.epp.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.configuration.PluginType.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The README's tables of plugins say what the code does: every name, kind, parameter and default. */
class PluginTableTest {
    private static final Path README = Path.of("README.md");

    @Test
    void everyPluginHasItsRow() throws IOException {
        List<String> rows = BuiltIns.BY_NAME.values().stream()
                .filter(type -> type.refusal() == null)
                .sorted(Comparator.comparing(PluginType::name))
                .map(PluginTableTest::row)
                .toList();
        assertThat(tableUnder("## Plugins")).containsExactlyElementsOf(rows);
    }

    @Test
    void everyRefusedPluginIsNamedWithItsReason() throws IOException {
        List<String> rows = BuiltIns.BY_NAME.values().stream()
                .filter(type -> type.refusal() != null)
                .collect(Collectors.groupingBy(type -> String.valueOf(type.refusal())))
                .entrySet()
                .stream()
                .sorted(Map.Entry.comparingByKey())
                .map(group -> "| " + group.getKey() + " | "
                        + group.getValue().stream()
                                .map(type -> "`" + type.name() + "`")
                                .sorted()
                                .collect(Collectors.joining(", "))
                        + " |")
                .toList();
        assertThat(tableUnder("### Known and refused")).containsExactlyElementsOf(rows);
    }

    /** Whatever a configuration of llm-d may name is there, or refused with what to write instead. */
    @Test
    void everyPluginOfLlmdIsKnown() throws IOException {
        List<String> theirs = Files.readAllLines(Path.of("src/test/resources/llm-d-plugins.txt"));
        assertThat(theirs).hasSizeGreaterThan(90);
        assertThat(BuiltIns.BY_NAME).containsKeys(theirs.toArray(String[]::new));
        assertThat(BuiltIns.BY_NAME.values())
                .filteredOn(type -> type.refusal() != null)
                .allSatisfy(type -> assertThat(type.refusal()).matches(".*; (use|name|remove) .*"));
    }

    static String row(PluginType type) {
        Parameters parameters = new Parameters("", null, new ArrayList<>());
        type.factory().make(parameters, new Surroundings(() -> 0, name -> null));
        String kinds =
                Stream.of(Role.values()).filter(type::is).map(Role::label).collect(Collectors.joining(", "));
        String values = parameters.effective().entrySet().stream()
                .map(entry -> "`" + entry.getKey() + "` " + text(entry.getValue()))
                .collect(Collectors.joining(", "));
        return "| `" + type.name() + "`" + (type.experimental() ? " (experimental)" : "") + " | " + kinds + " | "
                + (values.isEmpty() ? "–" : values) + " |";
    }

    private static String text(Object value) {
        String text = value instanceof Double number && number == Math.rint(number)
                ? Long.toString(number.longValue())
                : value.toString();
        return text.isEmpty() || text.equals("{}") || text.equals("[]") ? "(none)" : text;
    }

    /** The rows of the first table under a heading. */
    private static List<String> tableUnder(String heading) throws IOException {
        return Files.readString(README)
                .lines()
                .dropWhile(line -> !line.equals(heading))
                .dropWhile(line -> !line.startsWith("|"))
                .takeWhile(line -> line.startsWith("|"))
                .skip(2)
                .toList();
    }
}
