package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.InjectionSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/**
 * Whatever pod or workload comes, with whatever annotations: there is an answer, nothing of the user's is lost beyond the listed
 * replacements, and a second pass finds nothing to do. Seeded; a failure names its seed.
 */
class RandomPodsTest {

    private static final int OBJECTS = Integer.getInteger("random.objects", 1000);
    private static final long SEED = Long.getLong("random.seed", 20261130L);

    @Test
    void everyObjectGetsASafeAnswer() {
        List<Decision> seen = new ArrayList<>();
        AdmissionHandler handler = new AdmissionHandler(
                InjectionSettings.defaults(),
                ClusterView.UNKNOWN,
                (kind, decision, nanos) -> seen.add(decision),
                System::nanoTime);
        int patched = 0;
        int denied = 0;
        for (int i = 0; i < OBJECTS; i++) {
            long seed = SEED + i;
            JsonNode object = new RandomObjects(seed).next();
            seen.clear();
            byte[] answer = handler.handle(Reviews.request("u", object, Optional.empty()));
            String about = "seed " + seed + ": " + object;
            assertThat(seen.getFirst()).as(about).isNotInstanceOf(Decision.Failed.class);
            ArrayNode operations = Reviews.operations(answer);
            if (!Reviews.response(answer).path("allowed").asBoolean()) {
                denied++;
                assertThat(operations).as(about).isEmpty();
                continue;
            }
            if (operations.isEmpty()) {
                continue;
            }
            patched++;
            JsonNode output = StrictPatch.apply(operations, object);
            assertThat(Losses.between(object, output))
                    .as(about + "\n" + operations)
                    .isEmpty();
            byte[] again = handler.handle(Reviews.request("u", output, Optional.empty()));
            assertThat(Reviews.response(again).path("allowed").asBoolean())
                    .as("second pass, " + about + "\n" + new String(again, StandardCharsets.UTF_8))
                    .isTrue();
            assertThat(Reviews.operations(again))
                    .as("second pass, " + about + "\n" + operations)
                    .isEmpty();
        }
        assertThat(patched).as("patched").isGreaterThan(OBJECTS / 20);
        assertThat(denied).as("denied").isGreaterThan(OBJECTS / 20);
    }
}
