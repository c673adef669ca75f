package dev.plainsail.epp.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The talks of {@code src/test/resources/ext-proc}. {@code -Dgolden.update=true} writes what the picker does now into
 * them, for reading before it is committed.
 */
final class ExtProcScriptsTest {
    private static final Path FOLDER = Path.of("src/test/resources/ext-proc");
    private static final YAMLMapper YAML = new YAMLMapper();

    private record Case(String name, String about, String router, int maxBody, int maxHeld, List<String> talk) {
        static Case read(Path file) throws IOException {
            JsonNode root = YAML.readTree(Files.readString(file));
            return new Case(
                    file.getFileName().toString(),
                    root.path("about").asString(),
                    root.path("router").asString(),
                    root.path("max-body").asInt(1 << 20),
                    root.path("max-held").asInt(1 << 24),
                    root.path("talk").asString().lines().toList());
        }

        List<String> played() {
            return Script.play(router, maxBody, maxHeld, talk);
        }

        String text() {
            StringBuilder text = new StringBuilder("about: " + Answers.quoted(about) + "\nrouter: " + router + "\n");
            if (maxBody != 1 << 20) {
                text.append("max-body: ").append(maxBody).append('\n');
            }
            if (maxHeld != 1 << 24) {
                text.append("max-held: ").append(maxHeld).append('\n');
            }
            text.append("talk: |\n");
            played().forEach(line -> text.append("  ").append(line).append('\n'));
            return text.toString();
        }
    }

    private static List<Case> cases() throws IOException {
        List<Case> cases = new ArrayList<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                cases.add(Case.read(file));
            }
        }
        return cases;
    }

    @TestFactory
    Stream<DynamicTest> talks() throws IOException {
        boolean update = Boolean.getBoolean("golden.update");
        if (update && System.getenv("CI") != null) {
            throw new IllegalStateException("golden files are not rewritten in CI");
        }
        return cases().stream()
                .map(each -> DynamicTest.dynamicTest(each.name(), () -> {
                    if (update) {
                        Files.writeString(FOLDER.resolve(each.name()), each.text());
                        return;
                    }
                    assertThat(each.played()).as(each.about()).isEqualTo(each.talk());
                }));
    }

    @Test
    void everyTalkEndsItsBookingAtMostOnceAndGivesOneEndOfBody() throws IOException {
        assertThat(cases()).hasSizeGreaterThan(30);
        for (Case each : cases()) {
            List<String> played = each.played();
            assertThat(played.stream().filter("< booking-ended"::equals))
                    .as(each.name())
                    .hasSizeLessThan(2);
            assertThat(played.stream().filter(line -> line.startsWith("< request-body") && line.endsWith(" end")))
                    .as(each.name())
                    .hasSizeLessThan(2);
        }
    }
}
