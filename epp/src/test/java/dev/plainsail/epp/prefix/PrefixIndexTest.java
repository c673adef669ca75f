package dev.plainsail.epp.prefix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.longs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PrefixIndexTest {
    private static final int AMPLE = 1 << 20;

    @Test
    void checkpointsAreDenseAtFirstAndNeverMoreThanOneIn32Apart() {
        List<Integer> lengths = new ArrayList<>();
        for (int length = 1; length <= 2048; length = Checkpoints.after(length)) {
            lengths.add(length);
            assertThat(Checkpoints.lastUpTo(length)).isEqualTo(length);
            assertThat(Checkpoints.before(length)).isEqualTo(lengths.size() == 1 ? 0 : lengths.get(lengths.size() - 2));
        }
        assertThat(lengths).hasSize(224).endsWith(2048).startsWith(1, 2, 3);
        for (int length = 1; length <= 2048; length++) {
            assertThat(length - Checkpoints.lastUpTo(length)).isLessThanOrEqualTo(length / 32);
        }
    }

    @Test
    void findsWhatWasInsertedAndNothingElse() {
        PrefixIndex index = new PrefixIndex(AMPLE, 2048, AMPLE);
        index.insert(prompt(1, 40), 3);
        index.insert(prompt(1, 25), 70);
        assertThat(match(index, prompt(1, 60), 3, 4, 70, 130)).containsExactly(40, 0, 25, 0);
        assertThat(match(index, prompt(2, 60), 3, 70)).containsExactly(0, 0);
    }

    @Test
    void aDivergingPromptMatchesUpToWhereItDiverges() {
        PrefixIndex index = new PrefixIndex(AMPLE, 2048, AMPLE);
        index.insert(prompt(1, 50), 0);
        long[] other = new long[50];
        for (int i = 0; i < other.length; i++) {
            other[i] = i < 20 ? prompt(1, 50).at(i) : 1000 + i;
        }
        assertThat(match(index, new BlockHashes(other, 50), 0)).containsExactly(20);
    }

    @Test
    void forgetsAnEndpointWhole() {
        PrefixIndex index = new PrefixIndex(AMPLE, 2048, AMPLE);
        index.insert(prompt(1, 30), 5);
        index.insert(prompt(1, 30), 6);
        index.forget(5);
        assertThat(match(index, prompt(1, 30), 5, 6)).containsExactly(0, 30);
        index.forget(6);
        assertThat(index.size()).isZero();
        index.forget(6_000);
    }

    @Test
    void aboveItsCapacityAnEndpointForgetsTailsFirstAndUnusedPromptsFirst() {
        PrefixIndex index = new PrefixIndex(AMPLE, 2048, AMPLE);
        index.capacity(0, 60);
        index.insert(prompt(1, 30), 0);
        index.insert(prompt(2, 30), 0);
        index.insert(prompt(1, 30), 0);
        index.insert(prompt(3, 10), 0);
        assertThat(match(index, prompt(1, 30), 0)).as("used again").containsExactly(30);
        assertThat(match(index, prompt(2, 30), 0)).as("tail gone").containsExactly(20);
        index.capacity(0, 15);
        assertThat(index.size()).isEqualTo(15);
    }

    /** EPP-41: tiny blocks, many endpoints, distinct prompts. */
    @Test
    void memoryStaysFixedWhateverIsInserted() {
        PrefixIndex index = new PrefixIndex(1 << 12, 2048, 31_250);
        for (int slot = 0; slot < 20; slot++) {
            index.capacity(slot, 2_000_000);
        }
        for (int i = 0; i < 3_000; i++) {
            index.insert(prompt(i, 125), i % 20);
        }
        assertThat(index.size()).isBetween(1 << 11, 1 << 12);
        assertThat(index.tableBytes()).isEqualTo(24L << 12);
    }

    /** Against a model that keeps everything: never longer than the truth, and exact while there is room. */
    @Test
    void neverMatchesLongerThanANaiveModelAndEqualsItWithRoom() {
        qt().withExamples(40).forAll(longs().all()).checkAssert(seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            boolean ample = random.nextBoolean();
            PrefixIndex index = new PrefixIndex(ample ? AMPLE : 256, 300, ample ? AMPLE : 64);
            Naive naive = new Naive(300);
            for (int step = 0; step < 120; step++) {
                BlockHashes prompt = randomPrompt(random);
                int slot = random.nextInt(130);
                if (random.nextInt(20) == 0) {
                    index.forget(slot);
                    naive.held.remove(slot);
                } else {
                    index.insert(prompt, slot);
                    naive.insert(prompt, slot);
                }
                int[] slots = IntStream.range(0, 130).toArray();
                BlockHashes asked = randomPrompt(random);
                int[] found = match(index, asked, slots);
                for (int s : slots) {
                    int truth = naive.match(asked, s);
                    assertThat(found[s]).isLessThanOrEqualTo(truth);
                    if (ample) {
                        assertThat(found[s]).isEqualTo(truth);
                    }
                }
            }
        });
    }

    /** A reader beside a writer sees lengths that were inserted at some time, never a mixture. */
    @Test
    void readersBesideAWriterSeeOnlyWhatWasOnceTrue() throws InterruptedException {
        PrefixIndex index = new PrefixIndex(512, 2048, 200);
        AtomicBoolean stop = new AtomicBoolean();
        List<String> wrong = new ArrayList<>();
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; !stop.get(); i++) {
                index.insert(prompt(i % 40, 10 + i % 40), i % 40);
                if (i % 97 == 0) {
                    index.forget(i % 40);
                }
            }
        });
        int[] slots = IntStream.range(0, 40).toArray();
        long end = System.nanoTime() + 300_000_000L;
        int seen = 0;
        while (System.nanoTime() < end) {
            int which = seen % 40;
            int[] found = match(index, prompt(which, 64), slots);
            for (int slot = 0; slot < 40; slot++) {
                if (found[slot] > (slot == which ? 10 + which : 0)) {
                    wrong.add("prompt " + which + " on " + slot + ": " + found[slot]);
                }
            }
            seen++;
        }
        stop.set(true);
        writer.join();
        assertThat(wrong).isEmpty();
        assertThat(seen).isGreaterThan(1_000);
    }

    private static int[] match(PrefixIndex index, BlockHashes prompt, int... slots) {
        int[] lengths = new int[slots.length];
        index.match(prompt, slots, slots.length, lengths);
        return lengths;
    }

    /** Chained hashes of a prompt: equal up to the shorter length for equal numbers. */
    private static BlockHashes prompt(int number, int blocks) {
        long[] hashes = new long[blocks];
        for (int i = 0; i < blocks; i++) {
            hashes[i] = number * 1_000_003L + i;
        }
        return new BlockHashes(hashes, blocks);
    }

    private static BlockHashes randomPrompt(SplittableRandom random) {
        long[] hashes = new long[random.nextInt(1, 320)];
        long branch = random.nextInt(3);
        int fork = random.nextInt(200);
        for (int i = 0; i < hashes.length; i++) {
            hashes[i] = i < fork ? i : i + (branch << 32) + ((long) fork << 40);
        }
        return new BlockHashes(hashes, hashes.length);
    }

    private static final class Naive {
        final Map<Integer, Set<Long>> held = new HashMap<>();
        final int maxBlocks;

        Naive(int maxBlocks) {
            this.maxBlocks = maxBlocks;
        }

        void insert(BlockHashes prompt, int slot) {
            Set<Long> blocks = held.computeIfAbsent(slot, ignored -> new HashSet<>());
            for (int i = 0; i < Math.min(prompt.size(), maxBlocks); i++) {
                blocks.add(prompt.at(i));
            }
        }

        /** The longest checkpoint up to which every checkpoint is held. */
        int match(BlockHashes prompt, int slot) {
            Set<Long> blocks = held.getOrDefault(slot, Set.of());
            int reached = 0;
            int limit = Math.min(prompt.size(), maxBlocks);
            for (int length = 1; length <= limit; length = Checkpoints.after(length)) {
                if (!blocks.contains(prompt.at(length - 1))) {
                    return reached;
                }
                reached = length;
            }
            return reached;
        }
    }
}
