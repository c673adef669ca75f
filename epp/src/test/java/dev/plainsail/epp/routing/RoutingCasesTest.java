package dev.plainsail.epp.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.configuration.PickerConfiguration;
import dev.plainsail.epp.pool.TrafficRules;
import dev.plainsail.epp.prefix.BlockHashes;
import dev.plainsail.epp.protocol.Bodies;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Cases from the field, and rules of single plugins seen through the whole router. */
class RoutingCasesTest {
    private static final String HEAD = "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n";

    @Test
    void epp17AnEmptyPoolIs503AndAFullOneIs429() {
        Fleet fleet = fleet("""
                - {type: concurrency-detector, parameters: {maxConcurrency: 1}}
                - type: queue-scorer
                schedulingProfiles: [{name: default, plugins: [{pluginRef: concurrency-detector}]}]
                """);
        fleet.pool("chat", 0);
        assertThat(fleet.rejected(fleet.request()).reason().status()).isEqualTo(503);
        fleet.pool("chat", 2);
        fleet.forward(fleet.request());
        fleet.forward(fleet.request());
        Verdict.Reject full = fleet.rejected(fleet.request());
        assertThat(full.reason()).isEqualTo(Reason.SATURATED);
        assertThat(full.reason().status()).isEqualTo(429);
        assertThat(full.retryAfterSeconds()).isPositive();
    }

    @Test
    void aProbabilisticAdmitterTurnsMoreAwayTheFullerThePoolIsAndOnlyThoseOfNegativePriority() {
        Fleet fleet = fleet("""
                - {type: probabilistic-admitter, parameters: {queueDepthThreshold: 10, power: 1, k: 1}}
                - type: queue-scorer
                """);
        fleet.pool("chat", 1);
        fleet.router().rules(new TrafficRules(Map.of("batch", -1), List.of()));
        for (int waiting : new int[] {0, 3, 7, 10}) {
            fleet.report("chat", 0, waiting, 0, 0);
            int shed = 0;
            for (int i = 0; i < 1000; i++) {
                switch (fleet.route(fleet.request().header("x-llm-d-inference-objective", "batch"))) {
                    case Verdict.Reject reject -> shed++;
                    case Verdict.Forward forward -> forward.inFlight().ended();
                    case Verdict other -> throw new AssertionError(other);
                }
            }
            assertThat(shed).as("waiting %d", waiting).isBetween(waiting * 100 - 60, waiting * 100 + 60);
            fleet.forward(fleet.request()).inFlight().ended();
        }
    }

    @Test
    void epp63TiesSpreadEvenlyAndOneEndpointIsEnough() {
        for (PickerConfiguration configuration : List.of(PickerConfiguration.builtIn(), Fleet.llmdDefault())) {
            Fleet fleet = new Fleet(configuration);
            fleet.pool("chat", 4);
            Map<String, Integer> counts = new HashMap<>();
            for (int i = 0; i < 1000; i++) {
                Verdict.Forward forward = fleet.forward(fleet.request());
                counts.merge(forward.inOrder().getFirst().name(), 1, Integer::sum);
                forward.inFlight().ended();
            }
            assertThat(counts).hasSize(4);
            assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(180, 320));
            fleet.pool("chat", 1);
            assertThat(fleet.forward(fleet.request()).inOrder()).hasSize(1);
        }
    }

    @Test
    void epp73ARoleChangeCountsAtOnceAndKeepsWhatRuns() {
        Fleet fleet = fleet("- type: decode-filter\n- type: queue-scorer\n");
        fleet.pool("chat", 1, Map.of("llm-d.ai/role", "decode"));
        fleet.forward(fleet.request());
        fleet.pool("chat", 1, Map.of("llm-d.ai/role", "prefill"));
        assertThat(fleet.rejected(fleet.request()).reason()).isEqualTo(Reason.SATURATED);
        assertThat(fleet.inFlight("chat")).containsExactly(1);
        fleet.pool("chat", 1, Map.of("llm-d.ai/role", "both"));
        fleet.forward(fleet.request());
        assertThat(fleet.inFlight("chat")).containsExactly(2);
    }

    @Test
    void aSessionStaysWhereItWas() {
        Fleet fleet = fleet("- type: session-affinity-scorer\n  parameters: {strategy: session_id}\n");
        fleet.pool("chat", 8);
        Set<String> served = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            fleet.forward(fleet.request());
            served.add(fleet.forward(fleet.request().header("x-session-id", "s1"))
                    .inOrder()
                    .getFirst()
                    .name());
        }
        assertThat(served).hasSize(1);
    }

    @Test
    void coldPromptsGoRoundByLeastRecentUse() {
        Fleet fleet = fleet("- type: no-hit-lru-scorer\n");
        fleet.pool("chat", 5);
        for (int round = 0; round < 3; round++) {
            Set<String> served = new HashSet<>();
            for (int i = 0; i < 5; i++) {
                Verdict.Forward forward = fleet.forward(fleet.request().prompt(round * 10 + i, 5));
                served.add(forward.inOrder().getFirst().name());
                forward.inFlight().ended();
            }
            assertThat(served).hasSize(5);
        }
    }

    @Test
    void aBusyHolderOfAPrefixIsLeftOnlyWhenItIsTooLate() {
        Fleet fleet = fleet("""
                - type: prefix-cache-affinity-filter
                  parameters: {maxTTFTPenaltyMs: 5000, peakPrefillThroughput: 1000}
                - type: token-load-scorer
                """);
        fleet.pool("chat", 2);
        String holder = fleet.forward(fleet.request().prompt(1, 50))
                .inOrder()
                .getFirst()
                .name();
        assertThat(fleet.forward(fleet.request().prompt(1, 50))
                        .inOrder()
                        .getFirst()
                        .name())
                .as("3.2 s late")
                .isEqualTo(holder);
        String hostPort = fleet.endpoints("chat").stream()
                .filter(endpoint -> endpoint.name().equals(holder))
                .findFirst()
                .orElseThrow()
                .hostPort();
        fleet.forward(fleet.request().prompt(2, 50).subset(List.of(hostPort)));
        assertThat(fleet.forward(fleet.request().prompt(1, 50))
                        .inOrder()
                        .getFirst()
                        .name())
                .as("6.4 s late")
                .isNotEqualTo(holder);
    }

    @Test
    void weightedRandomFollowsTheTotals() {
        Fleet fleet = fleet("""
                - {type: header-label-affinity-scorer, parameters: {headerName: X-Zone, labelKey: zone}}
                - type: weighted-random-picker
                """);
        fleet.pool("chat", 3, Map.of("zone", "a"));
        Set<String> served = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            served.add(fleet.forward(fleet.request().header("x-zone", i % 2 == 0 ? "a" : "b"))
                    .inOrder()
                    .getFirst()
                    .name());
        }
        assertThat(served).hasSize(3);
    }

    /** Replicas that know nothing of each other send a new prompt to the same endpoint, and never too much to one. */
    @Test
    void replicasAgreeOnPromptsThatNobodyHolds() {
        PickerConfiguration rendezvous = Fleet.configuration("""
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                plugins: [{type: rendezvous-filter}, {type: expected-wait-scorer}]
                """);
        Fleet one = new Fleet(rendezvous);
        Fleet other = new Fleet(rendezvous);
        one.pool("chat", 8);
        other.pool("chat", 8);
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < 80; i++) {
            Verdict.Forward first = one.forward(one.request().prompt(i, 20));
            Verdict.Forward second = other.forward(other.request().prompt(i, 30));
            assertThat(served(second)).isEqualTo(served(first));
            counts.merge(served(first), 1, Integer::sum);
        }
        assertThat(counts).hasSize(8);
        assertThat(counts.values()).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(13));
    }

    private static String served(Verdict.Forward forward) {
        return forward.inOrder().getFirst().name();
    }

    @Test
    void aTokenOfTheAnswerLeadsTheClientBackWhicheverPickerMadeIt() {
        String plugins = "- type: session-affinity-filter\n- type: queue-scorer\n";
        Fleet one = fleet(plugins);
        Fleet other = fleet(plugins);
        one.pool("chat", 8);
        other.pool("chat", 8);
        Verdict.Told told = (Verdict.Told) one.route(one.request());
        String token = told.headers().getOrDefault("x-session-token", "");
        String endpoint = told.forward().inOrder().getFirst().name();
        assertThat(new String(Base64.getDecoder().decode(token), StandardCharsets.UTF_8))
                .isEqualTo(endpoint);
        for (int i = 0; i < 10; i++) {
            Verdict.Told again = (Verdict.Told) other.route(other.request().header("x-session-token", token));
            assertThat(again.forward().inOrder().getFirst().name()).isEqualTo(endpoint);
        }
        for (String odd : List.of("", "%%%", "bm9ib2R5")) {
            assertThat(other.route(other.request().header("x-session-token", odd)))
                    .isInstanceOf(Verdict.Told.class);
        }
    }

    @Test
    void reportedValuesThatTheConfigurationNamesFilterAndScore() {
        Fleet fleet = fleet("""
                - type: endpoint-attribute-filter
                  parameters: {attribute: Heat, onMissing: Fail, algorithm: {threshold: {operator: LessThan, value: 80}}}
                - type: endpoint-attribute-scorer
                  parameters: {attributeKey: Heat, algorithm: {type: linear_lower_is_better}}
                """);
        fleet.pool("chat", 4);
        fleet.attributes("chat", 0, Map.of("Heat", 79.0));
        fleet.attributes("chat", 1, Map.of("Heat", 90.0));
        fleet.attributes("chat", 2, Map.of("Heat", 20.0));
        for (int i = 0; i < 5; i++) {
            assertThat(fleet.forward(fleet.request()).inOrder().getFirst())
                    .isEqualTo(fleet.endpoints("chat").get(2));
        }
        fleet.attributes("chat", 2, Map.of());
        assertThat(fleet.forward(fleet.request()).inOrder().getFirst())
                .isEqualTo(fleet.endpoints("chat").get(0));
    }

    @Test
    void epp39AdaptersAndTheBaseModelShareNoPrefix() {
        Fleet fleet = fleet("- type: prefix-cache-scorer\n");
        fleet.pool("chat", 4);
        String body = "{\"model\":\"%s\",\"prompt\":\"" + "word ".repeat(2000) + "\"}";
        BlockHashes adapter = Bodies.prefix(body.formatted("a1"));
        Verdict.Forward first = fleet.forward(fleet.request().model("a1").prefix(adapter));
        int slot = first.inOrder().getFirst().slot();
        assertThat(fleet.match("chat", slot, adapter)).isEqualTo(adapter.size());
        for (String other : List.of("base", "a2")) {
            assertThat(fleet.match("chat", slot, Bodies.prefix(body.formatted(other))))
                    .isZero();
        }
        Verdict.Forward second = fleet.forward(fleet.request().model("a1").prefix(adapter));
        assertThat(second.inOrder().getFirst().slot()).isEqualTo(slot);
    }

    @Test
    void epp69TheIndexIsAsLargeAsTheConfigurationSaysWhateverTheEngineHolds() {
        Fleet learnt = fleet("- type: prefix-cache-scorer\n");
        Fleet set = fleet("""
                - type: approx-prefix-cache-producer
                  parameters: {autoTune: false, lruCapacityPerServer: 3000}
                - type: prefix-cache-scorer
                """);
        for (Fleet fleet : List.of(learnt, set)) {
            fleet.pool("chat", 1);
            fleet.holds("chat", 0, 16, 4000);
            for (int prompt = 0; prompt < 40; prompt++) {
                fleet.forward(fleet.request().prompt(prompt, 64)).inFlight().ended();
            }
        }
        // 4,000 blocks of 16 tokens are 1,000 of ours; 40 prompts have 2,560.
        assertThat(learnt.parts().prefixBlocks()).isBetween(900, 1000);
        assertThat(set.parts().prefixBlocks()).isEqualTo(2560);
    }

    @Test
    void epp71EndsAreToldApartAndWhoHangsUpIsNoFailure() {
        assertThat(List.of(Reason.values()))
                .extracting(Reason::label)
                .doesNotHaveDuplicates()
                .contains("saturated", "decision-timeout", "no-endpoint", "memory-full", "not-ready");
        Fleet fleet = new Fleet(PickerConfiguration.builtIn());
        fleet.pool("chat", 2);
        for (int i = 0; i < 20; i++) {
            Fleet.Request request = fleet.request();
            String hostPort = fleet.forward(request).inOrder().getFirst().hostPort();
            fleet.router().accept(request.ticket(), new Outcome(0, hostPort, 1, 0, true, false));
        }
        assertThat(fleet.parts().states().getFirst().endpoints())
                .noneMatch(PoolState.EndpointState::ejected)
                .allMatch(endpoint -> endpoint.inFlight() == 0);
    }

    private static Fleet fleet(String plugins) {
        return new Fleet(Fleet.configuration(HEAD + plugins));
    }

    @Test
    void theModelsOfAllPoolsAreListedTogetherAndAliasesFindTheirPool() {
        Fleet fleet = new Fleet(PickerConfiguration.builtIn());
        fleet.pool("a", 1);
        fleet.pool("b", 1);
        fleet.serves("a", "m");
        fleet.lists("b", Map.of("n", "{\"id\":\"n\",\"max_model_len\":7}", "alias", "{\"id\":\"alias\"}"));
        Verdict verdict =
                fleet.route(fleet.request().model(null).path("/v1/models?x=1").header(":method", "GET"));
        assertThat(verdict)
                .isEqualTo(new Verdict.Reply("{\"object\":\"list\",\"data\":[{\"id\":\"alias\"},{\"id\":\"m\","
                        + "\"object\":\"model\",\"created\":0,\"owned_by\":\"plainsail\"},"
                        + "{\"id\":\"n\",\"max_model_len\":7}]}"));
        assertThat(fleet.forward(fleet.request().model("alias"))
                        .inOrder()
                        .getFirst()
                        .pool())
                .isEqualTo("b");
        assertThat(fleet.route(
                        fleet.request().model(null).pool("a").path("/v1/models").header(":method", "GET")))
                .as("a pool that is named answers itself")
                .isInstanceOf(Verdict.Forward.class);
    }

    @Test
    void withOnePoolAnEngineListsItsModelsItself() {
        Fleet fleet = new Fleet(PickerConfiguration.builtIn());
        fleet.pool("a", 1);
        assertThat(fleet.route(fleet.request().model(null).path("/v1/models").header(":method", "GET")))
                .isInstanceOf(Verdict.Forward.class);
    }

    @Test
    void endsAreToldWithTheModelsThatWereAskedForAndChosen() {
        Fleet fleet = new Fleet(PickerConfiguration.builtIn());
        fleet.pool("a", 1);
        List<String> told = new ArrayList<>();
        fleet.router()
                .endings((model, target, streamed, outcome) -> told.add(model + " " + target + " " + outcome.status()));
        Fleet.Request plain = fleet.request();
        Fleet.Request rewritten = fleet.request().header("x-llm-d-model-name-rewrite", "other");
        fleet.forward(plain);
        fleet.forward(rewritten);
        assertThat(fleet.router().running())
                .isEqualTo(Map.of(
                        new SchedulingRouter.ModelPair("m", null), 1, new SchedulingRouter.ModelPair("m", "other"), 1));
        fleet.router().accept(plain.ticket(), Fleet.ok());
        fleet.router().accept(rewritten.ticket(), Fleet.ok());
        fleet.router().accept(rewritten.ticket(), Fleet.ok());
        assertThat(told).containsExactly("m null 200", "m other 200");
        assertThat(fleet.router().running()).isEmpty();
    }
}
