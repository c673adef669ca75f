package dev.plainsail.epp.prefix;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.util.Arrays;

/**
 * Hashes one stretch of prompt text in blocks of 256 bytes (64 tokens of 4 bytes) while its bytes pass.
 *
 * <p>A chained hash cannot be started before its seed is known, and the model, the tools and the cache salt may stand
 * behind the messages in the body. So each block gets a hash of its own here, and {@link #chain} links them when the
 * body has ended: 2 to 3 ns a block, against a second pass over the text.
 *
 * <p>Whole blocks are hashed where they lie; only those that are cut by a message border, an escape or a separator are
 * put together in a buffer first. The last block counts even if it is not full, as in llm-d's picker. Beyond the limit
 * of blocks text is counted as seen, not hashed.
 */
public final class BlockHasher {
    /** Bytes of a block: 64 tokens of 4 bytes, the smallest block that llm-d's picker uses. */
    public static final int BLOCK_BYTES = 256;

    private static final Hasher64 XXH3 = Hashing.xxh3_64();

    private final int limit;
    private final byte[] open = new byte[BLOCK_BYTES];
    private long[] locals = new long[16];
    private int blocks;
    private int openLength;

    /** @param limit most blocks that are kept */
    public BlockHasher(int limit) {
        this.limit = limit;
    }

    /** Takes the next bytes of the text. */
    public void put(byte[] bytes, int from, int to) {
        int at = from;
        if (openLength > 0) {
            int taken = Math.min(to - at, BLOCK_BYTES - openLength);
            System.arraycopy(bytes, at, open, openLength, taken);
            openLength += taken;
            at += taken;
            if (openLength == BLOCK_BYTES) {
                openLength = 0;
                add(XXH3.hashBytesToLong(open, 0, BLOCK_BYTES));
            }
        }
        while (to - at >= BLOCK_BYTES) {
            if (blocks == limit) {
                return;
            }
            add(XXH3.hashBytesToLong(bytes, at, BLOCK_BYTES));
            at += BLOCK_BYTES;
        }
        System.arraycopy(bytes, at, open, openLength, to - at);
        openLength += to - at;
    }

    /** Takes one byte, such as the separator of two fields. */
    public void put(int value) {
        open[openLength++] = (byte) value;
        if (openLength == BLOCK_BYTES) {
            openLength = 0;
            add(XXH3.hashBytesToLong(open, 0, BLOCK_BYTES));
        }
    }

    /** Takes a number as eight bytes, the lowest first. */
    public void putLong(long value) {
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            put((int) (value >>> shift));
        }
    }

    /** Takes a token id as four bytes, the lowest first. */
    public void putToken(int token) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            put(token >>> shift);
        }
    }

    /** Forgets everything; the memory stays for the next text. */
    public void reset() {
        blocks = 0;
        openLength = 0;
    }

    /** Whether nothing was put. */
    public boolean isEmpty() {
        return blocks == 0 && openLength == 0;
    }

    private void add(long hash) {
        if (blocks == limit) {
            return;
        }
        if (blocks == locals.length) {
            locals = Arrays.copyOf(locals, Math.min(limit, blocks * 2));
        }
        locals[blocks++] = hash;
    }

    private void finish() {
        if (openLength > 0) {
            int length = openLength;
            openLength = 0;
            add(XXH3.hashBytesToLong(open, 0, length));
        }
    }

    /**
     * Links the blocks of several texts, in their order, into one chain. The texts end with this.
     *
     * @param seed stands for all that must not be shared between prompts: model, adapter, cache salt
     */
    public static BlockHashes chain(long seed, BlockHasher... texts) {
        int size = 0;
        for (BlockHasher text : texts) {
            text.finish();
            size += text.blocks;
        }
        if (size == 0) {
            return BlockHashes.NONE;
        }
        long[] chained = new long[size];
        long state = seed;
        int next = 0;
        for (BlockHasher text : texts) {
            for (int i = 0; i < text.blocks; i++) {
                state = mix(state, text.locals[i]);
                chained[next++] = state;
            }
        }
        return new BlockHashes(chained, size);
    }

    /** Hashes a short text that goes into a seed. */
    public static long hash(byte[] bytes, int from, int to) {
        return XXH3.hashBytesToLong(bytes, from, to - from);
    }

    /** Links two hashes; not symmetric. The multipliers are those of SplitMix64's finalizer. */
    public static long mix(long state, long local) {
        long x = (Long.rotateLeft(state, 29) ^ local) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }
}
