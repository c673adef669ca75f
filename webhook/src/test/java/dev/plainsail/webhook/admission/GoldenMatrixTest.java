package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.webhook.plan.Annotations.Alias;
import dev.plainsail.webhook.plan.Annotations.Input;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * {@code golden/matrix.yaml}: each annotation has a case for what it asks for being absent, there as ours, there in the user's own
 * way, and contradicted, each with the outcome that this must have. A new annotation without a row fails here.
 */
class GoldenMatrixTest {

    private static final Path ROOT = Path.of("src/test/resources/golden");
    private static final List<String> SITUATIONS = List.of("absent", "ours", "own", "contradiction");

    static Stream<String> keys() {
        return Stream.concat(
                Stream.of(Input.values()).map(Input::key),
                Stream.of(Alias.values()).map(Alias::key));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void hasACaseForEachSituation(String key) throws IOException {
        JsonNode row = GoldenCase.YAML.readTree(ROOT.resolve("matrix.yaml")).path(key);
        assertThat(List.copyOf(row.propertyNames())).as("row of " + key).isEqualTo(SITUATIONS);
        for (String situation : SITUATIONS) {
            String cell = row.path(situation).asString();
            if (cell.startsWith("-: ")) {
                continue;
            }
            GoldenCase golden = new GoldenCase(cell, ROOT.resolve(cell));
            assertThat(golden.has("input.yaml")).as(cell + " is a case").isTrue();
            assertThat(mentions(golden, key)).as(cell + " mentions " + key).isTrue();
            boolean isDenied = golden.has("denied.txt");
            assertThat(isDenied)
                    .as(situation + ": " + cell + " is denied")
                    .isEqualTo(situation.equals("contradiction"));
            if (situation.equals("absent")) {
                assertThat(golden.has("expected.yaml")).as(cell + " is patched").isTrue();
            }
        }
    }

    private static boolean mentions(GoldenCase golden, String key) throws IOException {
        return golden.tree("input.yaml").toString().contains("\"" + key + "\"");
    }
}
