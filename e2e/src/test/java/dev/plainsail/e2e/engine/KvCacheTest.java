package dev.plainsail.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.plainsail.e2e.engine.KvCache.Block;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class KvCacheTest {
    private static final int BLOCK = 4;

    private static List<Long> hashes(int... tokens) {
        List<Long> hashes = new ArrayList<>();
        long parent = KvCache.seed(null, null);
        for (int from = 0; from + BLOCK <= tokens.length; from += BLOCK) {
            parent = KvCache.hash(parent, tokens, from, from + BLOCK);
            hashes.add(parent);
        }
        return hashes;
    }

    @Test
    void aFullCacheGivesNothingAndChangesNothing() {
        KvCache cache = new KvCache(BLOCK, 3, true);
        List<Block> first = new ArrayList<>();
        assertThat(cache.grow(first, 9)).isTrue();
        assertThat(cache.used()).isEqualTo(1.0);
        List<Block> second = new ArrayList<>();
        assertThat(cache.grow(second, 1)).isFalse();
        assertThat(second).isEmpty();
        cache.release(first);
        assertThat(cache.used()).isZero();
        assertThat(cache.grow(second, 1)).isTrue();
    }

    @Test
    void theTailOfAReleasedSequenceIsTakenBeforeItsHead() {
        KvCache cache = new KvCache(BLOCK, 3, true);
        List<Long> hashes = hashes(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
        List<Block> blocks = new ArrayList<>();
        cache.grow(blocks, 12);
        for (int i = 0; i < 3; i++) {
            cache.publish(blocks.get(i), hashes.get(i));
        }
        cache.release(blocks);
        List<Block> other = new ArrayList<>();
        cache.grow(other, 1);
        List<Block> again = new ArrayList<>();
        assertThat(cache.takePrefix(hashes, again)).isEqualTo(2);
    }

    @Test
    void withoutPrefixCachingNothingIsEverFound() {
        KvCache cache = new KvCache(BLOCK, 3, false);
        List<Block> blocks = new ArrayList<>();
        cache.grow(blocks, 4);
        cache.publish(blocks.getFirst(), 7);
        assertThat(cache.takePrefix(List.of(7L), new ArrayList<>())).isZero();
    }

    @Test
    void adaptersAndSaltsShareNothing() {
        assertThat(List.of(
                        KvCache.seed(null, null),
                        KvCache.seed("a", null),
                        KvCache.seed(null, "a"),
                        KvCache.seed("a", "a"),
                        KvCache.seed("aa", null)))
                .doesNotHaveDuplicates();
    }

    @Test
    void aBlocksHashDependsOnEverythingBeforeIt() {
        assertThat(hashes(1, 2, 3, 4, 5, 6, 7, 8)).startsWith(hashes(1, 2, 3, 4).getFirst());
        assertThat(hashes(0, 2, 3, 4, 5, 6, 7, 8).getLast())
                .isNotEqualTo(hashes(1, 2, 3, 4, 5, 6, 7, 8).getLast());
    }

    /**
     * Against a naive model: blocks keyed by their whole prefix as text, a list of free slots in the order of their release. Few prefixes
     * and a small cache, so that hits, sharing, eviction and a full cache all come often.
     */
    @Test
    void itBehavesAsTheNaiveModel() {
        qt().withExamples(300).forAll(integers().all()).checkAssert(seed -> {
            Random random = new Random(seed);
            KvCache cache = new KvCache(1, 6, true);
            Model model = new Model(6);
            List<Live> live = new ArrayList<>();
            for (int step = 0; step < 60; step++) {
                if (random.nextBoolean() || live.isEmpty()) {
                    List<Integer> tokens =
                            random.ints(1 + random.nextInt(4), 0, 2).boxed().toList();
                    List<Block> blocks = new ArrayList<>();
                    List<Integer> slots = new ArrayList<>();
                    List<Long> hashes = hashesOf(tokens);
                    assertThat(cache.takePrefix(hashes, blocks)).isEqualTo(model.takePrefix(tokens, slots));
                    boolean room = cache.grow(blocks, tokens.size());
                    assertThat(room).isEqualTo(model.grow(slots, tokens.size()));
                    if (room) {
                        for (int i = 0; i < tokens.size(); i++) {
                            cache.publish(blocks.get(i), hashes.get(i));
                            model.publish(slots.get(i), tokens.subList(0, i + 1));
                        }
                        live.add(new Live(blocks, slots));
                    } else {
                        cache.release(blocks);
                        model.release(slots);
                    }
                } else {
                    Live one = live.remove(random.nextInt(live.size()));
                    cache.release(one.blocks());
                    model.release(one.slots());
                }
                assertThat(cache.used()).isEqualTo(model.used());
            }
        });
    }

    private static List<Long> hashesOf(List<Integer> tokens) {
        int[] all = tokens.stream().mapToInt(i -> i).toArray();
        List<Long> hashes = new ArrayList<>();
        long parent = KvCache.seed(null, null);
        for (int i = 0; i < all.length; i++) {
            parent = KvCache.hash(parent, all, i, i + 1);
            hashes.add(parent);
        }
        return hashes;
    }

    /** One sequence in both worlds. */
    private record Live(List<Block> blocks, List<Integer> slots) {}

    private static final class Model {
        private final int capacity;
        private final List<Integer> free = new ArrayList<>();
        private final Map<Integer, List<Integer>> content = new LinkedHashMap<>();
        private final Map<Integer, Integer> users = new LinkedHashMap<>();

        Model(int capacity) {
            this.capacity = capacity;
            for (int i = 0; i < capacity; i++) {
                free.add(i);
                users.put(i, 0);
            }
        }

        int takePrefix(List<Integer> tokens, List<Integer> into) {
            int found = 0;
            for (int i = 1; i <= tokens.size(); i++) {
                List<Integer> prefix = tokens.subList(0, i);
                Integer slot = content.entrySet().stream()
                        .filter(e -> e.getValue().equals(prefix))
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElse(-1);
                if (slot < 0) {
                    break;
                }
                users.merge(slot, 1, Integer::sum);
                free.remove(/* element */ slot);
                into.add(slot);
                found++;
            }
            return found;
        }

        boolean grow(List<Integer> slots, int tokens) {
            if (tokens - slots.size() > free.size()) {
                return false;
            }
            while (slots.size() < tokens) {
                Integer slot = free.removeFirst();
                content.remove(slot);
                users.put(slot, 1);
                slots.add(slot);
            }
            return true;
        }

        void publish(Integer slot, List<Integer> prefix) {
            if (!content.containsKey(slot) && !content.containsValue(prefix)) {
                content.put(slot, List.copyOf(prefix));
            }
        }

        void release(List<Integer> slots) {
            for (Integer slot : slots.reversed()) {
                if (users.merge(slot, -1, Integer::sum) == 0) {
                    free.add(slot);
                }
            }
        }

        double used() {
            return (capacity - free.size()) / (double) capacity;
        }
    }
}
