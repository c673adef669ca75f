package dev.plainsail.epp.pool;

import static dev.plainsail.certs.Waiting.await;
import static dev.plainsail.epp.pool.PodMembersTest.ready;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PodSourceTest {
    private static final Duration MILLIS_20 = Duration.ofMillis(20);
    private static final WatchedObjects.Timing QUICK = new WatchedObjects.Timing(
            Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofSeconds(60), MILLIS_20, Duration.ofMillis(40));

    private final FakeApiServer api = newServer();
    private final KubernetesClient client = api.client();
    private final Pools pools = new Pools(new Slots(System::nanoTime));
    private final List<PodSource> sources = new ArrayList<>();

    private static FakeApiServer newServer() {
        try {
            return new FakeApiServer();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeEach
    void twoPods() {
        api.put(ready("a", "10.0.0.1"));
        api.put(ready("b", "10.0.0.2"));
    }

    @AfterEach
    void stop() {
        sources.forEach(PodSource::close);
        client.close();
        api.close();
    }

    @Test
    void podsWithTheLabelAreEndpointsOfThePoolItNames() {
        PodSource source = start(QUICK);
        awaitNames("default/a", "default/b");
        await().until(source::synced);
        awaitWatch(1);
        api.put(new PodBuilder(ready("c", "10.0.0.3"))
                .editMetadata()
                .withLabels(Map.of(PodSource.POOL, "other"))
                .endMetadata()
                .build());
        await().untilAsserted(() -> assertThat(names("other")).containsExactly("default/c"));
        assertThat(names("chat")).hasSize(2);
    }

    @Test
    void aDeletedPodIsGoneAtOnce() {
        start(QUICK);
        awaitNames("default/a", "default/b");
        awaitWatch(1);
        api.delete("a");
        awaitNames("default/b");
    }

    @Test
    void epp07APodThatIsDeletedWhileTheWatchIsDownIsGoneAfterTheNextList() {
        start(QUICK);
        awaitNames("default/a", "default/b");
        awaitWatch(1);
        api.gone = true;
        api.deleteUnseen("a");
        awaitNames("default/b");
    }

    @Test
    void epp07AnErrorEventInTheStreamListsAgain() {
        start(QUICK);
        awaitNames("default/a", "default/b");
        awaitWatch(1);
        int before = api.lists.get();
        api.sendError();
        await().untilAsserted(() -> assertThat(api.lists.get()).isGreaterThan(before));
        awaitNames("default/a", "default/b");
    }

    @Test
    void epp07ASilentWatchIsNoticed() {
        start(new WatchedObjects.Timing(
                Duration.ofSeconds(60), Duration.ofMillis(200), Duration.ofSeconds(60), MILLIS_20, MILLIS_20));
        awaitNames("default/a", "default/b");
        int before = api.lists.get();
        await().untilAsserted(() -> assertThat(api.lists.get()).isGreaterThan(before + 1));
        assertThat(names("chat")).hasSize(2);
    }

    /** EPP-59: the API server is away, then comes back; what was last seen stays meanwhile. */
    @Test
    void epp59WhatWasLastSeenStaysWhileTheApiServerIsAway() {
        start(QUICK);
        awaitNames("default/a", "default/b");
        awaitWatch(1);
        api.down = true;
        api.deleteUnseen("a");
        await().pollDelay(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(names("chat")).hasSize(2));
        api.down = false;
        awaitNames("default/b");
    }

    @Test
    void epp59WhatAListenerThrowsDoesNotEndTheLoop() {
        List<Integer> seen = new CopyOnWriteArrayList<>();
        try (var objects = new WatchedObjects<>(
                "pods",
                client.pods().inAnyNamespace().withLabelSelector("x"),
                PodView::from,
                pods -> {
                    seen.add(pods.size());
                    throw new IllegalStateException("thrown on purpose");
                },
                QUICK)) {
            objects.start();
            await().untilAsserted(() -> assertThat(seen).isNotEmpty());
            awaitWatch(1);
            api.put(ready("c", "10.0.0.3"));
            await().untilAsserted(() -> assertThat(seen).endsWith(3));
            assertThat(objects.synced()).isFalse();
        }
    }

    @Test
    void everythingIsListedAgainFromTimeToTime() {
        start(new WatchedObjects.Timing(
                Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofMillis(150), MILLIS_20, MILLIS_20));
        await().untilAsserted(() -> assertThat(api.lists.get()).isGreaterThan(2));
    }

    @Test
    void epp25AnEvictedPodLeavesAtOnce() {
        start(QUICK);
        awaitNames("default/a", "default/b");
        awaitWatch(1);
        api.put(new PodBuilder(ready("a", "10.0.0.1"))
                .withNewStatus()
                .withPhase("Failed")
                .withReason("Evicted")
                .endStatus()
                .build());
        awaitNames("default/b");
    }

    @Test
    void epp75ALateDeleteOfAnEarlierPodOfTheSameNameRemovesNothing() {
        start(QUICK);
        awaitNames("default/a", "default/b");
        awaitWatch(1);
        api.put(new PodBuilder(ready("a", "10.0.0.9"))
                .editMetadata()
                .withUid("a-new")
                .endMetadata()
                .build());
        await().untilAsserted(() -> assertThat(
                        pools.get("chat").current().endpoints().stream().map(Endpoint::hostPort))
                .contains("10.0.0.9:8000"));
    }

    @Test
    void aSelectorMakesAPoolWithItsOwnPorts() {
        List<String> problems = new ArrayList<>();
        PoolSelector selector = PoolSelector.parse("name=two,selector=app=vllm,tier=gpu,port=8000/8001", problems);
        assertThat(problems).isEmpty();
        assertThat(selector).isEqualTo(new PoolSelector("two", null, "app=vllm,tier=gpu", List.of(8000, 8001)));
        if (selector != null) {
            sources.add(PodSource.start(client, null, List.of(selector), pools, QUICK));
        }
        await().untilAsserted(() -> assertThat(names("two"))
                .contains("default/a-rank-0", "default/a-rank-1", "default/b-rank-0", "default/b-rank-1"));
    }

    @Test
    void aWrongSelectorSaysWhatToWrite() {
        for (String wrong : List.of(
                "selector=a=b",
                "name=x",
                "",
                "name=x,selector=a=b,port=0",
                "name=x,selector=a=b,port=1/2/3/4/5/6/7/8/9",
                "junk,name=x,selector=a=b")) {
            List<String> problems = new ArrayList<>();
            PoolSelector.parse(wrong, problems);
            assertThat(problems).as(wrong).isNotEmpty();
        }
    }

    private PodSource start(WatchedObjects.Timing timing) {
        PodSource source = PodSource.start(client, null, List.of(), pools, timing);
        sources.add(source);
        return source;
    }

    private void awaitWatch(int count) {
        await().untilAsserted(() -> assertThat(api.watched.get()).isGreaterThanOrEqualTo(count));
    }

    private void awaitNames(String... names) {
        await().pollInterval(MILLIS_20)
                .untilAsserted(() -> assertThat(names("chat")).containsExactlyInAnyOrder(names));
    }

    private List<String> names(String pool) {
        return pools.get(pool).current().endpoints().stream()
                .map(Endpoint::name)
                .toList();
    }
}
