package dev.plainsail.epp.routing;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.configuration.PickerConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class DecisionLogTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private final Fleet fleet = new Fleet(Fleet.llmdDefault());

    private static JsonNode last(DecisionLog log, int count) {
        await().atMost(LONG).until(() -> log.page().lines().count() == count);
        return JsonMapper.shared().readTree(log.page().lines().toList().getLast());
    }

    @Test
    void whoAsksIsToldWhyInAHeaderAndTheDecisionIsKept() {
        fleet.pool("chat", 3);
        try (DecisionLog log = DecisionLog.start(true, 0)) {
            fleet.router().decisions(log);
            fleet.forward(fleet.request().prompt(1, 10)).inFlight().ended();
            Verdict verdict = fleet.route(fleet.request().prompt(1, 10).header(DecisionLog.HEADER, "1"));
            assertThat(verdict).isInstanceOfSatisfying(Verdict.Told.class, explained -> {
                String chosen = explained.forward().inOrder().getFirst().hostPort();
                assertThat(explained.headers().get(DecisionLog.HEADER))
                        .startsWith("pool=chat; profile=default; chosen=" + chosen)
                        .contains("candidates=3/3", "prompt-blocks=10", "scores=" + chosen + ":", "matched=10")
                        .matches("[ -~]+");
                JsonNode kept = last(log, 1);
                assertThat(kept.path("chosen").path(0).asString()).isEqualTo(chosen);
                JsonNode best = kept.path("options").path(0);
                assertThat(best.path("endpoint").asString()).isEqualTo(chosen);
                assertThat(best.path("scores").path("prefix-cache-scorer").asDouble())
                        .isEqualTo(1);
                assertThat(best.path("matchedBlocks").asInt()).isEqualTo(10);
                assertThat(best.path("inFlight").asInt())
                        .as("before it was booked")
                        .isZero();
                assertThat(kept.path("options").size()).isEqualTo(3);
            });
        }
    }

    @Test
    void withoutTheSettingNobodyIsTold() {
        fleet.pool("chat", 2);
        assertThat(fleet.route(fleet.request().header(DecisionLog.HEADER, "1"))).isInstanceOf(Verdict.Forward.class);
        try (DecisionLog log = DecisionLog.start(false, 0)) {
            fleet.router().decisions(log);
            assertThat(fleet.route(fleet.request().header(DecisionLog.HEADER, "1")))
                    .isInstanceOf(Verdict.Forward.class);
            assertThat(log.page()).isEmpty();
        }
    }

    @Test
    void aShareOfTheDecisionsIsKeptAndTheOldestAreForgotten() {
        fleet.pool("chat", 2);
        try (DecisionLog log = DecisionLog.start(false, 0.25, 3)) {
            fleet.router().decisions(log);
            List<Long> sampled = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                Fleet.Request request = fleet.request();
                if (log.isSampled(request.build())) {
                    sampled.add(request.ticket());
                }
                fleet.forward(request).inFlight().ended();
            }
            assertThat(sampled).hasSizeBetween(5, 30);
            long newest = sampled.getLast();
            await().atMost(LONG)
                    .untilAsserted(() ->
                            assertThat(last(log, 3).path("ticket").asLong()).isEqualTo(newest));
            assertThat(IntStream.range(0, 100_000)
                            .filter(i -> log.isSampled(fleet.request().build()))
                            .count())
                    .isBetween(24_000L, 26_000L);
        }
    }

    @Test
    void theSameDecisionIsMadeWhetherSomebodyLooksOrNot() {
        List<String> unseen = decisions(new Fleet(PickerConfiguration.builtIn()));
        Fleet seen = new Fleet(PickerConfiguration.builtIn());
        try (DecisionLog log = DecisionLog.start(true, 0.1)) {
            seen.router().decisions(log);
            assertThat(decisions(seen)).isEqualTo(unseen);
        }
    }

    private static List<String> decisions(Fleet fleet) {
        fleet.pool("chat", 4);
        return IntStream.range(0, 40)
                .mapToObj(i -> fleet.forward(fleet.request().prompt(i % 6, 30))
                        .inOrder()
                        .getFirst()
                        .name())
                .toList();
    }
}
