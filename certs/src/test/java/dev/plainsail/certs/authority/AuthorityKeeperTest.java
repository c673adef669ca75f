package dev.plainsail.certs.authority;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.certs.CertifiedKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AuthorityKeeperTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private final MemoryStore store = new MemoryStore();
    private final List<String> published = new ArrayList<>();

    private final class Replica {
        @Nullable
        CertifiedKey served;

        final AuthorityKeeper keeper = new AuthorityKeeper(
                new Authority(AuthorityPolicy.of(List.of("hook.ns.svc")), new Issuer(new SecureRandom())),
                store,
                bundle -> {
                    synchronized (published) {
                        published.add(bundle);
                    }
                },
                pair -> served = pair);
    }

    @Test
    void secondRoundWritesNothingAndPublishesTheSame() {
        Replica replica = new Replica();
        replica.keeper.lead(START);
        replica.keeper.lead(START.plusSeconds(30));
        assertThat(store.writes).isEqualTo(1);
        assertThat(published).hasSize(2);
        assertThat(published.get(0)).isEqualTo(published.get(1)).startsWith("-----BEGIN CERTIFICATE-----");
    }

    @Test
    void trustIsPublishedBeforeALeafIsServed() {
        List<String> order = new ArrayList<>();
        new AuthorityKeeper(
                        new Authority(AuthorityPolicy.of(List.of("hook.ns.svc")), new Issuer(new SecureRandom())),
                        store,
                        bundle -> order.add("published"),
                        pair -> order.add("served"))
                .lead(START);
        assertThat(order).containsExactly("published", "served");
    }

    /** CRT-09: three replicas that start at the same instant serve one leaf. */
    @Test
    void replicasThatStartTogetherAgree() throws Exception {
        for (int round = 0; round < 20; round++) {
            store.stored = null;
            List<Replica> replicas = List.of(new Replica(), new Replica(), new Replica());
            CountDownLatch go = new CountDownLatch(1);
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<?>> all = new ArrayList<>();
                for (Replica replica : replicas) {
                    all.add(threads.submit(() -> {
                        go.await();
                        replica.keeper.lead(START);
                        return null;
                    }));
                }
                go.countDown();
                for (Future<?> one : all) {
                    one.get();
                }
            }
            assertThat(replicas).extracting(replica -> replica.served).containsOnly(replicas.getFirst().served);
        }
    }

    /** CRT-03: deleting the Secret changes nothing for clients while a replica runs. */
    @Test
    void deletedStateComesBackFromMemory() {
        Replica replica = new Replica();
        replica.keeper.lead(START);
        CertifiedKey before = replica.served;
        store.stored = null;
        replica.keeper.lead(START.plusSeconds(30));
        assertThat(replica.served).isEqualTo(before);
        assertThat(store.stored).isNotNull();
    }

    @Test
    void spoiltStateIsReplaced() {
        store.stored = new AuthorityStore.Stored(Map.of("tls.crt", "x"), "0");
        Replica replica = new Replica();
        assertThat(replica.keeper.follow()).isFalse();
        replica.keeper.lead(START);
        assertThat(replica.served).isNotNull();
        assertThat(new Replica().keeper.follow()).isTrue();
    }

    @Test
    void followerServesWhatTheLeaderStored() {
        Replica leader = new Replica();
        Replica follower = new Replica();
        assertThat(follower.keeper.follow()).isFalse();
        leader.keeper.lead(START);
        assertThat(follower.keeper.follow()).isTrue();
        assertThat(follower.served).isEqualTo(leader.served);
        leader.keeper.lead(START.plus(Duration.ofDays(21)));
        assertThat(follower.served).isNotEqualTo(leader.served);
        follower.keeper.follow();
        assertThat(follower.served).isEqualTo(leader.served);
    }

    @Test
    void endlessConflictIsAnError() {
        store.refuseAll = true;
        assertThatThrownBy(() -> new Replica().keeper.lead(START)).hasMessageContaining("5 times in a row");
        assertThat(published).isEmpty();
    }

    private static final class MemoryStore implements AuthorityStore {
        @Nullable
        Stored stored;

        int writes;
        boolean refuseAll;

        @Override
        public synchronized Optional<Stored> read() {
            return Optional.ofNullable(stored);
        }

        @Override
        public synchronized boolean create(Map<String, String> data) {
            return write(stored == null, data);
        }

        @Override
        public synchronized boolean replace(Stored seen, Map<String, String> data) {
            return write(stored != null && stored.version().equals(seen.version()), data);
        }

        private boolean write(boolean allowed, Map<String, String> data) {
            if (!allowed || refuseAll) {
                return false;
            }
            writes++;
            stored = new Stored(data, Integer.toString(writes));
            return true;
        }
    }
}
