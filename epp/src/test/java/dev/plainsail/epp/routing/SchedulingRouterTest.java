package dev.plainsail.epp.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.configuration.PickerConfiguration;
import dev.plainsail.epp.pool.Endpoint;
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
    void onlyWhatIsLeftOfOnesOwnPrefillIsGivenBack() {
        fleet.pool("chat", 1);
        fleet.forward(fleet.request().prompt(1, 1000));
        Verdict.Forward second = fleet.forward(fleet.request().prompt(2, 500));
        fleet.pass(Duration.ofSeconds(1));
        second.inFlight().ended();
        assertThat(fleet.pending("chat").getFirst()).isBetween(47_000, 49_000);
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
