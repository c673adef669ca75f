package dev.plainsail.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.cel.DeviceExpressions;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code README.md} says what the code does. */
class ReadmeTest {

    private static List<String> publicTypes() throws IOException, ClassNotFoundException {
        Path classes = Path.of(DeviceClaim.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        List<String> files;
        try (Stream<Path> walk = Files.walk(classes)) {
            files = walk.map(path -> classes.relativize(path).toString()).toList();
        }
        List<String> result = new ArrayList<>();
        for (String file : files) {
            if (file.endsWith(".class") && !file.contains("$") && !file.endsWith("package-info.class")) {
                Class<?> type = Class.forName(
                        file.substring(0, file.length() - ".class".length()).replace('/', '.'));
                if (Modifier.isPublic(type.getModifiers())) {
                    result.add("`" + type.getName().substring("dev.plainsail.dra.".length()) + "`");
                }
            }
        }
        return result;
    }

    @Test
    void everyPublicTypeHasARowAndNothingElse() throws Exception {
        List<String> rows = Files.readAllLines(Path.of("README.md")).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.split("\\|")[1].trim())
                .toList();
        assertThat(rows).containsExactlyInAnyOrderElementsOf(publicTypes());
    }

    @Test
    void everyExampleOfTheShortTextIsOneThatWeTake() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        String line = readme.lines()
                .filter(text -> text.startsWith("`gpu.nvidia.com` | "))
                .findFirst()
                .orElseThrow();
        List<String> examples = Stream.of(line.split("` \\| `"))
                .map(text -> text.replace("`", ""))
                .toList();
        assertThat(examples)
                .hasSize(3)
                .allSatisfy(
                        example -> assertThat(DeviceClaimText.parse(example)).isInstanceOf(ParsedClaim.Accepted.class));
        assertThat(readme).contains("counts are 1 to " + DeviceClaim.LIMIT);
    }

    @Test
    void conditionsAreRefusedForTheReasonsGiven() {
        DeviceExpressions expressions = new DeviceExpressions();
        List<String> refused =
                List.of("device.driver ==", "true" + " ".repeat(10 * 1024), "device.driver", "pod.name == 'a'");
        assertThat(refused)
                .allSatisfy(text ->
                        assertThat(expressions.check(text)).isInstanceOf(dev.plainsail.dra.cel.Checked.Wrong.class));
        assertThat(expressions.check("device.newField == 1")).isInstanceOf(dev.plainsail.dra.cel.Checked.Unsure.class);
    }
}
