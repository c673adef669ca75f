package dev.plainsail.epp.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.configuration.PickerConfiguration;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.pool.TrafficRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SchedulingRouterTest {
    private final Fleet fleet = new Fleet(PickerConfiguration.builtIn());

    @Test
    void anEmptyPoolAnswers503WithRetryAfter() {
        fleet.pool("chat", 0);
        Verdict.Reject reject = fleet.rejected(fleet.request());
        assertThat(reject.reason()).isEqualTo(Reason.NO_ENDPOINT);
        assertThat(reject.retryAfterSeconds()).isPositive();
    }

    @Test
    void theSamePromptGoesToTheSameEndpointWhileItIsNotBusy() {
        fleet.pool("chat", 8);
        Set<String> served = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Verdict.Forward forward = fleet.forward(fleet.request().prompt(7, 100));
            served.add(forward.inOrder().getFirst().name());
            fleet.pass(Duration.ofSeconds(2));
            forward.inFlight().ended();
        }
        assertThat(served).hasSize(1);
    }

    @Test
    void equalRequestsAtOnceSpreadEvenly() {
        fleet.pool("chat", 8);
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < 64; i++) {
            counts.merge(served(fleet.forward(fleet.request().prompt(7, 100))), 1, Integer::sum);
        }
        assertThat(counts).hasSize(8);
        assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(7, 9));
    }

    @Test
    void theHolderOfAPrefixIsWaitedForUntilItIsCrowded() {
        fleet.pool("chat", 4);
        String holder = forwardedTo(fleet.request().prompt(7, 100), Duration.ofSeconds(2));
        onto(holder, fleet.request().prompt(8, 200));
        assertThat(served(fleet.forward(fleet.request().prompt(7, 110)))).isEqualTo(holder);
        for (int i = 0; i < 3; i++) {
            onto(holder, fleet.request());
        }
        assertThat(served(fleet.forward(fleet.request().prompt(7, 110)))).isNotEqualTo(holder);
    }

    @Test
    void manyShortPromptsTakeLongerThanTheirTokens() {
        fleet.pool("chat", 2);
        List<Endpoint> endpoints = fleet.endpoints("chat");
        for (int i = 0; i < 10; i++) {
            onto(endpoints.getFirst().name(), fleet.request().prompt(i, 1));
        }
        onto(endpoints.getLast().name(), fleet.request().prompt(99, 20));
        assertThat(fleet.pending("chat")).containsExactly(640, 1280);
        assertThat(served(fleet.forward(fleet.request().prompt(50, 1))))
                .isEqualTo(endpoints.getLast().name());
    }

    @Test
    void theEndOfARequestBringsNoPrefillBackThatHasDrained() {
        fleet.pool("chat", 1);
        List<Verdict.Forward> forwards = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            forwards.add(fleet.forward(fleet.request().prompt(i, 100)));
        }
        fleet.pass(Duration.ofSeconds(10));
        forwards.getFirst().inFlight().ended();
        assertThat(fleet.pending("chat")).containsExactly(0);
    }

    private void onto(String name, Fleet.Request request) {
        Endpoint endpoint = fleet.endpoints("chat").stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow();
        fleet.forward(request.subset(List.of(endpoint.hostPort())));
    }

    private String forwardedTo(Fleet.Request request, Duration ended) {
        Verdict.Forward forward = fleet.forward(request);
        fleet.pass(ended);
        forward.inFlight().ended();
        return served(forward);
    }

    @Test
    void equalRequestsFromManyThreadsSpreadEvenlyUnderEveryDefault() throws InterruptedException {
        for (PickerConfiguration configuration : List.of(PickerConfiguration.builtIn(), Fleet.llmdDefault())) {
            Fleet many = new Fleet(configuration);
            many.pool("chat", 8);
            List<Thread> threads = new ArrayList<>();
            CountDownLatch go = new CountDownLatch(1);
            for (int i = 0; i < 64; i++) {
                Fleet.Request request = many.request();
                threads.add(Thread.ofVirtual().start(() -> {
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                    many.forward(request);
                }));
            }
            go.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            List<Integer> counts = many.inFlight("chat");
            assertThat(counts.stream().mapToInt(Integer::intValue).sum()).isEqualTo(64);
            assertThat(counts).allSatisfy(count -> assertThat(count).isEqualTo(8));
        }
    }

    @Test
    void sameSeedAndTicketsGiveTheSameDecisions() {
        List<String> first = decisions();
        assertThat(decisions()).isEqualTo(first);
        assertThat(new HashSet<>(first)).hasSizeGreaterThan(3);
    }

    private static List<String> decisions() {
        Fleet fleet = new Fleet(PickerConfiguration.builtIn());
        fleet.pool("chat", 8);
        List<String> served = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            served.add(served(fleet.forward(fleet.request().prompt(i % 5, 20))));
        }
        return served;
    }

    @Test
    void theAccessLogEndsABookingOnceWhateverElseEndsIt() {
        fleet.pool("chat", 1);
        Fleet.Request request = fleet.request();
        Verdict.Forward forward = fleet.forward(request);
        assertThat(fleet.inFlight("chat")).containsExactly(1);
        fleet.router().accept(request.ticket(), Fleet.ok());
        forward.inFlight().ended();
        fleet.router().accept(request.ticket(), Fleet.ok());
        fleet.router().accept(999_999, Fleet.ok());
        assertThat(fleet.inFlight("chat")).containsExactly(0);
    }

    /** EPP-27: the pod flaps while a request runs; its end must not be counted on the successor. */
    @Test
    void epp27ALateEndIsCountedOnTheObjectThatWasBooked() {
        fleet.pool("chat", 1);
        Verdict.Forward a = fleet.forward(fleet.request());
        fleet.pool("chat", 0);
        fleet.pool("chat", 1);
        Verdict.Forward b = fleet.forward(fleet.request());
        a.inFlight().ended();
        assertThat(fleet.inFlight("chat")).containsExactly(1);
        b.inFlight().ended();
        assertThat(fleet.inFlight("chat")).containsExactly(0);
    }

    @Test
    void bookingsEndByAge() {
        fleet.pool("chat", 2);
        fleet.forward(fleet.request());
        fleet.pass(Duration.ofMinutes(31));
        assertThat(fleet.router().bookings().expire()).isEqualTo(1);
        assertThat(fleet.inFlight("chat")).containsExactly(0, 0);
    }

    @Test
    void pendingPrefillIsBookedDrainsAndIsGivenBack() {
        fleet.pool("chat", 1);
        Verdict.Forward forward = fleet.forward(fleet.request().prompt(1, 1000));
        assertThat(fleet.pending("chat")).containsExactly(64_000);
        fleet.pass(Duration.ofSeconds(1));
        assertThat(fleet.pending("chat").getFirst()).isBetween(47_000, 49_000);
        forward.inFlight().firstToken();
        assertThat(fleet.pending("chat")).containsExactly(0);
        forward.inFlight().ended();
        assertThat(fleet.pending("chat")).containsExactly(0);
    }

    @Test
    void aPrefillThatEndsLeavesNoMoreThanTheOthersAskFor() {
        fleet.pool("chat", 1);
        Verdict.Forward first = fleet.forward(fleet.request().prompt(1, 1000));
        Verdict.Forward second = fleet.forward(fleet.request().prompt(2, 500));
        first.inFlight().firstToken();
        assertThat(fleet.pending("chat")).containsExactly(32_000);
        fleet.pass(Duration.ofSeconds(1));
        assertThat(fleet.pending("chat").getFirst()).isBetween(15_000, 17_000);
        second.inFlight().ended();
        assertThat(fleet.pending("chat")).containsExactly(0);
    }

    /** The engine says how many first tokens there were; the oldest prefills are over, the fluid moves into the bounds. */
    @Test
    void anEnginesCountOfFirstTokensCorrectsThePendingPrefill() {
        fleet.pool("chat", 1);
        for (int i = 0; i < 4; i++) {
            fleet.forward(fleet.request().prompt(i, 1000));
        }
        fleet.report("chat", 0, 0, 4, 0);
        fleet.pass(Duration.ofSeconds(1));
        fleet.report("chat", 0, 0, 4, 3);
        assertThat(fleet.pending("chat").getFirst()).isEqualTo(64_000);
        fleet.pass(Duration.ofSeconds(3));
        fleet.report("chat", 0, 0, 4, 3);
        assertThat(fleet.pending("chat").getFirst()).isBetween(15_000, 17_000);
        fleet.report("chat", 0, 0, 0, 4);
        assertThat(fleet.pending("chat")).containsExactly(0);
    }

    @Test
    void failuresInARowEjectForAGrowingTimeButNeverTheLastOnes() {
        fleet.pool("chat", 2);
        String bad = fleet.endpoints("chat").getFirst().hostPort();
        failFive(bad);
        assertThat(servedOf(20)).doesNotContain("default/chat-0");
        fleet.pass(Duration.ofSeconds(11));
        assertThat(servedOf(20)).as("given another chance").contains("default/chat-0");
        failFive(bad);
        fleet.pass(Duration.ofSeconds(11));
        assertThat(servedOf(20)).as("longer this time").doesNotContain("default/chat-0");
        failFive(fleet.endpoints("chat").get(1).hostPort());
        assertThat(servedOf(40)).as("all are bad: all are used").hasSize(2);
    }

    private void failFive(String hostPort) {
        for (int i = 0; i < 5; i++) {
            Fleet.Request request = fleet.request().subset(List.of(hostPort));
            fleet.forward(request);
            fleet.router().accept(request.ticket(), new Outcome(502, hostPort, 1, 0, false, true));
        }
    }

    private Set<String> servedOf(int requests) {
        Set<String> served = new HashSet<>();
        for (int i = 0; i < requests; i++) {
            served.add(served(fleet.forward(fleet.request())));
        }
        return served;
    }

    @Test
    void bookingsThatAnEngineDoesNotKnowEndAfterTwoReports() {
        fleet.pool("chat", 1);
        for (int i = 0; i < 6; i++) {
            fleet.forward(fleet.request());
        }
        fleet.pass(Duration.ofSeconds(20));
        fleet.report("chat", 0, 0, 2, 0);
        assertThat(fleet.inFlight("chat")).as("once may be a coincidence").containsExactly(6);
        fleet.pass(Duration.ofSeconds(1));
        fleet.report("chat", 0, 0, 2, 0);
        assertThat(fleet.inFlight("chat")).containsExactly(2);
    }

    @Test
    void theModelFindsThePoolWhenThereAreSeveral() {
        fleet.pool("a", 1);
        fleet.pool("b", 1);
        assertThat(fleet.rejected(fleet.request().model("m1")).reason())
                .as("nobody has said yet what it serves")
                .isEqualTo(Reason.NO_ENDPOINT);
        fleet.serves("a", "m1");
        fleet.serves("b", "m2");
        assertThat(served(fleet.forward(fleet.request().model("m2")))).isEqualTo("default/b-0");
        assertThat(served(fleet.forward(fleet.request().model("m1")))).isEqualTo("default/a-0");
        assertThat(served(fleet.forward(fleet.request().model("m1").pool("b")))).isEqualTo("default/b-0");
        assertThat(fleet.rejected(fleet.request().model("m3")).reason()).isEqualTo(Reason.MODEL_UNKNOWN);
        assertThat(fleet.rejected(fleet.request().model(null)).reason()).isEqualTo(Reason.MODEL_MISSING);
        assertThat(fleet.rejected(fleet.request().pool("c")).reason()).isEqualTo(Reason.POOL_UNKNOWN);
    }

    /** EPP-57: without pods the answer is 503, which clients repeat, and never 404. */
    @Test
    void epp57AnEmptyPoolIs503WhateverTheModelAndWorksWhenPodsCome() {
        fleet.pool("a", 0);
        fleet.pool("b", 0);
        for (Fleet.Request request :
                List.of(fleet.request().pool("a"), fleet.request().model("m1"))) {
            Verdict.Reject reject = fleet.rejected(request);
            assertThat(reject.reason().status()).isEqualTo(503);
            assertThat(reject.retryAfterSeconds()).isPositive();
        }
        fleet.pool("a", 1);
        assertThat(served(fleet.forward(fleet.request().pool("a")))).isEqualTo("default/a-0");
    }

    @Test
    void anObjectiveOfNegativePriorityIsShedWhileThePoolIsFull() {
        fleet.pool("chat", 1);
        fleet.router().rules(new TrafficRules(Map.of("batch", -10, "chat", 5), List.of()));
        fleet.report("chat", 0, 9, 9, 0);
        assertThat(fleet.rejected(fleet.request().header("x-llm-d-inference-objective", "batch"))
                        .reason())
                .isEqualTo(Reason.SATURATED);
        assertThat(fleet.rejected(fleet.request().header("x-gateway-inference-objective", "batch"))
                        .reason())
                .isEqualTo(Reason.SATURATED);
        fleet.forward(fleet.request().header("x-llm-d-inference-objective", "chat"));
        fleet.forward(fleet.request().header("x-llm-d-inference-objective", "unknown"));
        fleet.report("chat", 0, 1, 9, 0);
        fleet.forward(fleet.request().header("x-llm-d-inference-objective", "batch"));
    }

    @Test
    void aRewriteNamesTheModelAndItsPool() {
        fleet.pool("a", 1);
        fleet.pool("b", 1);
        fleet.router()
                .rules(new TrafficRules(
                        Map.of(),
                        List.of(new TrafficRules.Rewrite(
                                "b", "2026", 0, List.of("public"), List.of(new TrafficRules.Target("internal", 1))))));
        Verdict.Forward forward = fleet.forward(fleet.request().model("public"));
        assertThat(served(forward)).isEqualTo("default/b-0");
        assertThat(forward.model()).isEqualTo("internal");
        assertThat(fleet.forward(fleet.request().pool("a").model("public")).model())
                .isNull();
        assertThat(fleet.forward(fleet.request().pool("a").header("x-llm-d-model-name-rewrite", "asked"))
                        .model())
                .isEqualTo("asked");
    }

    @Test
    void newRulesCountAtOnceForKnownAndNewPools() {
        fleet.pool("a", 3);
        fleet.parts().rules(() -> Fleet.configuration("""
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                plugins: [{type: random-picker, parameters: {maxNumOfEndpoints: 2}}]
                """).scheduler(() -> 0));
        fleet.pool("b", 3);
        assertThat(fleet.forward(fleet.request().pool("a")).inOrder()).hasSize(2);
        assertThat(fleet.forward(fleet.request().pool("b")).inOrder()).hasSize(2);
    }

    @Test
    void fallbacksFollowTheChoice() {
        Fleet three = new Fleet(Fleet.configuration("""
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                plugins:
                - type: queue-scorer
                - {type: max-score-picker, parameters: {maxNumOfEndpoints: 3}}
                """));
        three.pool("chat", 5);
        List<Endpoint> inOrder = three.forward(three.request()).inOrder();
        assertThat(inOrder).hasSize(3).doesNotHaveDuplicates();
        assertThat(three.inFlight("chat").stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(1);
    }

    @Test
    void theSubsetLimitsTheChoiceByAddressWithOrWithoutPort() {
        fleet.pool("chat", 4);
        List<Endpoint> all = fleet.endpoints("chat");
        String full = all.get(2).hostPort();
        String ipOnly = all.get(1).address().getAddress().getHostAddress();
        assertThat(served(fleet.forward(fleet.request().subset(List.of(full)))))
                .isEqualTo(all.get(2).name());
        assertThat(served(fleet.forward(fleet.request().subset(List.of(" " + ipOnly, "9.9.9.9:1")))))
                .isEqualTo(all.get(1).name());
        assertThat(fleet.rejected(fleet.request().subset(List.of())).reason())
                .isEqualTo(Reason.SUBSET_WITHOUT_ENDPOINT);
        assertThat(fleet.rejected(fleet.request().subset(List.of("10.9.9.9:8000")))
                        .reason())
                .isEqualTo(Reason.SUBSET_WITHOUT_ENDPOINT);
    }

    @Test
    void aFreedSlotForgetsItsPrefixes() {
        fleet.pool("chat", 1);
        fleet.forward(fleet.request().prompt(3, 50));
        assertThat(fleet.parts().prefixBlocks()).isPositive();
        fleet.pool("chat", 0);
        assertThat(fleet.parts().prefixBlocks()).isZero();
    }

    private static String served(Verdict.Forward forward) {
        return forward.inOrder().getFirst().name();
    }
}
