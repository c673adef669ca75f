package dev.plainsail.epp.prefix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The hasher against one that keeps the whole text and cuts it afterwards. */
final class BlockHasherTest {
    private static BlockHashes naive(long seed, byte[] text, int limit) {
        List<Long> chained = new ArrayList<>();
        long state = seed;
        for (int at = 0; at < text.length && chained.size() < limit; at += BlockHasher.BLOCK_BYTES) {
            state = BlockHasher.mix(
                    state, BlockHasher.hash(text, at, Math.min(text.length, at + BlockHasher.BLOCK_BYTES)));
            chained.add(state);
        }
        long[] hashes = chained.stream().mapToLong(Long::longValue).toArray();
        return new BlockHashes(hashes, hashes.length);
    }

    @Test
    void anyCutOfATextGivesTheBlocksOfTheWhole() {
        SplittableRandom random = new SplittableRandom(5);
        BlockHasher hasher = new BlockHasher(100);
        for (int round = 0; round < 2_000; round++) {
            byte[] text = new byte[random.nextInt(3_000)];
            random.nextBytes(text);
            hasher.reset();
            int at = 0;
            while (at < text.length) {
                int to = Math.min(text.length, at + random.nextInt(700));
                if (random.nextInt(5) == 0) {
                    hasher.put(text[at]);
                    to = at + 1;
                } else {
                    hasher.put(text, at, to);
                }
                at = to;
            }
            assertThat(BlockHasher.chain(7, hasher)).isEqualTo(naive(7, text, 100));
        }
    }

    @Test
    void textBeyondTheLimitIsNotHashed() {
        BlockHasher hasher = new BlockHasher(3);
        byte[] text = new byte[5_000];
        Arrays.fill(text, (byte) 'x');
        hasher.put(text, 0, 1_000);
        hasher.put(text, 1_000, 5_000);
        assertThat(BlockHasher.chain(0, hasher)).isEqualTo(naive(0, text, 3));
    }

    @Test
    void textsOfOneChainDoNotRunIntoEachOther() {
        BlockHasher tools = new BlockHasher(10);
        BlockHasher messages = new BlockHasher(10);
        tools.put(new byte[] {1, 2, 3}, 0, 3);
        messages.put(new byte[300], 0, 300);
        BlockHashes all = BlockHasher.chain(1, tools, messages);
        assertThat(all.size()).isEqualTo(3);
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        joined.writeBytes(new byte[] {1, 2, 3});
        joined.writeBytes(new byte[300]);
        assertThat(all).isNotEqualTo(naive(1, joined.toByteArray(), 10));
    }

    @Test
    void numbersAreWrittenLowestByteFirst() {
        BlockHasher one = new BlockHasher(10);
        one.putToken(0x01020304);
        one.putLong(-1);
        byte[] bytes = {4, 3, 2, 1, -1, -1, -1, -1, -1, -1, -1, -1};
        assertThat(BlockHasher.chain(9, one)).isEqualTo(naive(9, bytes, 10));
        assertThat(one.isEmpty()).isFalse();
        one.reset();
        assertThat(one.isEmpty()).isTrue();
    }
}
