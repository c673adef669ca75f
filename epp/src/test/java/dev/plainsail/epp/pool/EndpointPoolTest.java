package dev.plainsail.epp.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class EndpointPoolTest {
    private final AtomicLong clock = new AtomicLong();
    private final Slots slots = new Slots(clock::get);
    private final Pools pools = new Pools(slots);
    private final EndpointPool pool = pools.get("chat");

    @Test
    void anEndpointKeepsItsSlotWhileOthersComeAndGo() {
        pool.replace("label", List.of(member("a", 1), member("b", 2)));
        pool.replace("label", List.of(member("c", 3), member("b", 2)));
        assertThat(slotOf("b")).isEqualTo(1);
        assertThat(slotOf("c")).as("slot 0 rests").isEqualTo(2);
    }

    @Test
    void aSlotIsGivenOutAgainOnlyAfterItsRest() {
        List<String> heard = new ArrayList<>();
        slots.watch(new SlotWatcher() {
            @Override
            public void freed(int slot) {
                heard.add("freed " + slot);
            }

            @Override
            public void taken(int slot) {
                heard.add("taken " + slot);
            }
        });
        pool.replace("label", List.of(member("a", 1)));
        pool.replace("label", List.of());
        clock.addAndGet(Duration.ofSeconds(59).toNanos());
        pool.replace("label", List.of(member("b", 2)));
        assertThat(slotOf("b")).isEqualTo(1);
        clock.addAndGet(Duration.ofSeconds(1).toNanos());
        pool.replace("label", List.of(member("b", 2), member("c", 3)));
        assertThat(slotOf("c")).isZero();
        assertThat(heard).containsExactly("taken 0", "freed 0", "taken 1", "taken 0");
    }

    @Test
    void nothingIsPublishedWhenNothingChanged() {
        pool.replace("label", List.of(member("a", 1)));
        EndpointSet before = pool.current();
        pool.replace("label", List.of(member("a", 1)));
        assertThat(pool.current()).isSameAs(before);
    }

    /** EPP-73: labels change under an endpoint, its counters stay. */
    @Test
    void changedLabelsKeepTheSlotAndAreSeenAtOnce() {
        pool.replace("label", List.of(new Member("a#1", "default/a", address(1), Map.of("role", "prefill"))));
        pool.replace("label", List.of(new Member("a#1", "default/a", address(1), Map.of("role", "decode"))));
        Endpoint endpoint = pool.current().endpoints().getFirst();
        assertThat(endpoint.slot()).isZero();
        assertThat(endpoint.labels()).containsEntry("role", "decode");
    }

    @Test
    void anotherAddressUnderTheSameNameIsAnotherEndpoint() {
        pool.replace("label", List.of(member("a", 1)));
        pool.replace("label", List.of(member("a", 9)));
        assertThat(slotOf("a")).isEqualTo(1);
    }

    @Test
    void sourcesAreJoinedAndOneAddressCountsOnce() {
        pool.replace("label", List.of(member("a", 1)));
        pool.replace("file", List.of(member("x", 1), member("y", 2)));
        assertThat(names()).containsExactly("default/a", "default/y");
        pool.replace("label", List.of());
        assertThat(names()).containsExactlyInAnyOrder("default/x", "default/y");
    }

    @Test
    void tenThousandEndpointsAreReplacedInUnderASecond() {
        List<Member> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(new Member(
                    "p" + i,
                    "default/p" + i,
                    new InetSocketAddress("10.0." + i / 250 + "." + i % 250, 8000),
                    Map.of()));
        }
        // Of processor time, which others on the machine do not take from us.
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadCpuTime();
        pool.replace("label", many);
        pool.replace("label", many.subList(1, 10_000));
        assertThat(pool.current().endpoints()).hasSize(9_999);
        assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - start)).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void watchersHearOfAPoolBeforeItsFirstEndpoint() {
        List<String> heard = new ArrayList<>();
        pools.watch(
                made -> heard.add(made.name() + " " + made.current().endpoints().size()));
        pools.get("embed").replace("file", List.of(member("e", 5)));
        assertThat(heard).containsExactly("chat 0", "embed 0");
        assertThat(pools.find("embed")).isSameAs(pools.get("embed"));
        assertThat(pools.find("none")).isNull();
    }

    private int slotOf(String name) {
        return pool.current().endpoints().stream()
                .filter(endpoint -> endpoint.name().equals("default/" + name))
                .findFirst()
                .orElseThrow()
                .slot();
    }

    private List<String> names() {
        return pool.current().endpoints().stream().map(Endpoint::name).toList();
    }

    private static Member member(String name, int last) {
        return new Member(name + "#uid", "default/" + name, address(last), Map.of());
    }

    private static InetSocketAddress address(int last) {
        return new InetSocketAddress("10.0.0." + last, 8000);
    }
}
