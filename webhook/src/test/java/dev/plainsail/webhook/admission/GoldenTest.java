package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.admission.AdmissionHandler.Mode;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Runs every folder under {@code golden/} through the webhook's bytes, applies the patch with a library that is not ours, and
 * compares. Unasked, for each: a second pass finds nothing to do, nothing of the user's is lost, unknown fields survive, the
 * UID comes back, the same bytes give the same bytes. {@code -Dgolden.update=true} writes what comes out.
 */
class GoldenTest {

    private static final DeviceExpressions EXPRESSIONS = new DeviceExpressions();
    private static final boolean UPDATE = Boolean.getBoolean("golden.update");

    private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);
    private final Set<Caution> cautions = EnumSet.noneOf(Caution.class);
    private final Set<Decision.Why> whys = EnumSet.noneOf(Decision.Why.class);
    private final Set<String> keys = new java.util.TreeSet<>();

    @TestFactory
    Stream<DynamicTest> cases() throws IOException {
        assertThat(UPDATE && System.getenv("CI") != null)
                .as("golden files are not rewritten in CI")
                .isFalse();
        List<DynamicTest> tests = new ArrayList<>();
        for (GoldenCase golden : GoldenCase.all()) {
            tests.add(DynamicTest.dynamicTest(golden.name(), () -> run(golden)));
        }
        tests.add(
                DynamicTest.dynamicTest("every reason, warning, outcome and key has a case", this::everythingHasACase));
        return tests.stream();
    }

    private void everythingHasACase() {
        assertThat(EnumSet.complementOf(EnumSet.copyOf(reasons)))
                .as("reasons without a golden case")
                .isEmpty();
        // Our own mistakes cannot be provoked from outside; AdmissionHandlerTest has them.
        cautions.add(Caution.OUR_MISTAKE);
        assertThat(EnumSet.complementOf(EnumSet.copyOf(cautions)))
                .as("warnings without a golden case")
                .isEmpty();
        assertThat(EnumSet.complementOf(EnumSet.copyOf(whys)))
                .as("outcomes without a golden case")
                .isEmpty();
        assertThat(Stream.of(Annotations.Input.values())
                        .map(Annotations.Input::key)
                        .filter(key -> !keys.contains(key)))
                .as("annotations without a golden case")
                .isEmpty();
        assertThat(Stream.of(Annotations.Alias.values())
                        .map(Annotations.Alias::key)
                        .filter(key -> !keys.contains(key)))
                .as("aliases without a golden case")
                .isEmpty();
    }

    private void run(GoldenCase golden) throws IOException {
        JsonNode input = golden.tree("input.yaml");
        Optional<JsonNode> old = golden.optionalTree("old.yaml");
        List<Decision> seen = new ArrayList<>();
        AdmissionHandler handler = golden.handler(EXPRESSIONS, seen);
        Mode mode = golden.has("observe") ? Mode.OBSERVE : Mode.MUTATE;
        String uid = UUID.randomUUID().toString();
        byte[] request = Reviews.request(uid, input, old, String.join("", golden.lines("subresource.txt")));
        byte[] answer = handler.handle(request, mode, Duration.ofMinutes(1));
        note(golden, seen.getFirst());

        JsonNode response = Reviews.response(answer);
        ArrayNode operations = Reviews.operations(answer);
        JsonNode output = apply(operations, input);
        if (UPDATE) {
            write(golden, response, operations, output);
        }
        compare(golden, response, operations, output);

        assertThat(response.path("uid").asString("")).isEqualTo(uid);
        assertThat(handler.handle(request, mode, Duration.ofMinutes(1)))
                .as("same bytes, same bytes")
                .isEqualTo(answer);
        String dryRun = new String(request, StandardCharsets.UTF_8).replace("\"dryRun\":false", "\"dryRun\":true");
        assertThat(handler.handle(dryRun.getBytes(StandardCharsets.UTF_8), mode, Duration.ofMinutes(1)))
                .as("a dry run answers the same")
                .isEqualTo(answer);
        assertThat(Losses.between(input, output)).as("lost").isEmpty();
        unknownFieldsSurvive(handler, mode, input, old, operations);
        if (response.path("allowed").asBoolean() && !operations.isEmpty()) {
            byte[] again = handler.handle(
                    Reviews.request("again", output, old.isPresent() ? Optional.of(output) : old),
                    mode,
                    Duration.ofMinutes(1));
            assertThat(Reviews.response(again).path("allowed").asBoolean())
                    .as("second pass is allowed")
                    .isTrue();
            assertThat(Reviews.operations(again)).as("second pass").isEmpty();
        }
    }

    private void note(GoldenCase golden, Decision decision) throws IOException {
        decision.warnings().forEach(warning -> cautions.add(warning.caution()));
        if (decision instanceof Decision.Denied denied) {
            denied.problems().forEach(problem -> reasons.add(problem.reason()));
        }
        if (decision instanceof Decision.Unchanged unchanged) {
            whys.add(unchanged.why());
        }
        String text = Files.readString(golden.file("input.yaml"));
        Stream.of(Annotations.Input.values())
                .map(Annotations.Input::key)
                .filter(text::contains)
                .forEach(keys::add);
        Stream.of(Annotations.Alias.values())
                .map(Annotations.Alias::key)
                .filter(text::contains)
                .forEach(keys::add);
    }

    private static JsonNode apply(ArrayNode operations, JsonNode input) {
        return StrictPatch.apply(operations, input);
    }

    private static void compare(GoldenCase golden, JsonNode response, ArrayNode operations, JsonNode output)
            throws IOException {
        long expectations = Stream.of("expected.yaml", "denied.txt", "unchanged.txt")
                .filter(golden::has)
                .count();
        assertThat(expectations)
                .as(golden.name() + " has one of expected.yaml, denied.txt, unchanged.txt")
                .isEqualTo(1);
        assertThat(warnings(response)).as("warnings").isEqualTo(golden.lines("warnings.txt"));
        if (golden.has("denied.txt")) {
            assertThat(problems(response)).as("problems").isEqualTo(golden.lines("denied.txt"));
            assertThat(response.path("allowed").asBoolean(true)).isFalse();
            return;
        }
        assertThat(response.path("allowed").asBoolean(false))
                .as(response.toString())
                .isTrue();
        if (golden.has("unchanged.txt")) {
            assertThat(List.of(response.path("auditAnnotations").path("reason").asString("")))
                    .isEqualTo(golden.lines("unchanged.txt"));
            assertThat(operations).isEmpty();
            return;
        }
        assertThat(output).isEqualTo(golden.tree("expected.yaml"));
        assertThat(operations).as("operations").isNotEmpty();
    }

    private static void write(GoldenCase golden, JsonNode response, ArrayNode operations, JsonNode output)
            throws IOException {
        for (String file : List.of("expected.yaml", "denied.txt", "unchanged.txt", "warnings.txt")) {
            Files.deleteIfExists(golden.file(file));
        }
        if (!warnings(response).isEmpty()) {
            Files.write(golden.file("warnings.txt"), warnings(response));
        }
        if (!response.path("allowed").asBoolean()) {
            Files.write(golden.file("denied.txt"), problems(response));
        } else if (operations.isEmpty()) {
            Files.write(
                    golden.file("unchanged.txt"),
                    List.of(response.path("auditAnnotations").path("reason").asString("")));
        } else {
            Files.writeString(golden.file("expected.yaml"), GoldenCase.YAML.writeValueAsString(output));
        }
    }

    private static List<String> problems(JsonNode response) {
        return response.path("status")
                .path("details")
                .path("causes")
                .valueStream()
                .map(cause -> cause.path("field").asString("") + ": "
                        + cause.path("message").asString(""))
                .toList();
    }

    private static List<String> warnings(JsonNode response) {
        return response.path("warnings")
                .valueStream()
                .map(warning -> warning.asString(""))
                .toList();
    }

    /** Fields that no version of us knows, at every depth, change nothing about the patch and are not touched by it. */
    private static void unknownFieldsSurvive(
            AdmissionHandler handler, Mode mode, JsonNode input, Optional<JsonNode> old, ArrayNode operations) {
        JsonNode planted = plant(input.deepCopy());
        byte[] answer = handler.handle(Reviews.request("planted", planted, old), mode, Duration.ofMinutes(1));
        if (old.isEmpty()) {
            assertThat(Reviews.operations(answer))
                    .as("operations with unknown fields")
                    .isEqualTo(operations);
        }
        assertThat(Losses.between(planted, apply(Reviews.operations(answer), planted)))
                .as("unknown fields lost")
                .isEmpty();
    }

    private static JsonNode plant(JsonNode node) {
        node.forEach(GoldenTest::plant);
        boolean isMapOfTexts =
                node.isObject() && !node.isEmpty() && node.valueStream().allMatch(JsonNode::isString);
        if (node instanceof ObjectNode object && !isMapOfTexts) {
            ObjectNode unknown = JsonNodeFactory.instance.objectNode();
            unknown.put("a/b~c", 1.50).putArray("list").add(1).addNull();
            object.set("unknownToEveryone", unknown);
        }
        return node;
    }
}
