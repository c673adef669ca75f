package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.admission.AdmissionHandler.Mode;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every golden object with one node turned into something of another shape, as files on a disk have it (the API server refuses
 * such objects before us): never a failure of ours, and a patch, if any, that applies.
 */
class BrokenObjectsTest {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int VARIANTS = Integer.getInteger("random.variants", 12);
    private static final List<JsonNode> SHAPES = List.of(
            NODES.nullNode(),
            NODES.stringNode(""),
            NODES.stringNode("--model m"),
            NODES.numberNode(new BigDecimal("1e3")),
            NODES.numberNode(new BigDecimal("1.0")),
            NODES.booleanNode(true),
            NODES.arrayNode(),
            NODES.arrayNode().addNull().add("x").add(1),
            NODES.objectNode(),
            NODES.objectNode().put("name", 1).putNull("a/b~c"));

    @Test
    void noShapeMakesUsFail() throws IOException {
        DeviceExpressions expressions = new DeviceExpressions();
        List<String> failures = new ArrayList<>();
        for (GoldenCase golden : GoldenCase.all()) {
            JsonNode input = golden.tree("input.yaml");
            List<Decision> seen = new ArrayList<>();
            AdmissionHandler handler = golden.handler(expressions, seen);
            SplittableRandom random = new SplittableRandom(golden.name().hashCode());
            for (int i = 0; i < VARIANTS; i++) {
                JsonNode broken = input.deepCopy();
                String where = breakOne(broken, random);
                seen.clear();
                byte[] answer = handler.handle(
                        Reviews.request("u", broken, Optional.empty()), Mode.MUTATE, Duration.ofMinutes(1));
                if (seen.getFirst() instanceof Decision.Failed failed) {
                    failures.add(golden.name() + " " + where + ": " + failed.what());
                    continue;
                }
                ArrayNode operations = Reviews.operations(answer);
                if (!operations.isEmpty()) {
                    assertThat(StrictPatch.apply(operations, broken)).isNotEqualTo(broken);
                }
            }
        }
        assertThat(failures).isEmpty();
    }

    /** Somewhere below the root. @return where and what */
    private static String breakOne(JsonNode root, SplittableRandom random) {
        JsonNode node = root;
        StringBuilder path = new StringBuilder();
        while (true) {
            JsonNode here = node;
            List<String> names = node.isObject()
                    ? List.copyOf(node.propertyNames())
                    : IntStream.range(0, node.size())
                            .mapToObj(Integer::toString)
                            .toList();
            List<String> deeper =
                    names.stream().filter(name -> !child(here, name).isEmpty()).toList();
            boolean isDeepEnough = !path.isEmpty() && random.nextInt(4) == 0;
            if (deeper.isEmpty() || isDeepEnough) {
                String name = names.get(random.nextInt(names.size()));
                JsonNode shape = SHAPES.get(random.nextInt(SHAPES.size())).deepCopy();
                if (node instanceof ObjectNode object) {
                    object.set(name, shape);
                } else {
                    ((ArrayNode) node).set(Integer.parseInt(name), shape);
                }
                return path + "/" + name + " = " + shape;
            }
            String name = deeper.get(random.nextInt(deeper.size()));
            path.append('/').append(name);
            node = child(node, name);
        }
    }

    private static JsonNode child(JsonNode node, String name) {
        return node.isObject() ? node.path(name) : node.path(Integer.parseInt(name));
    }
}
