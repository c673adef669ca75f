package dev.plainsail.e2e.engine;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * The paged KV cache of one engine: a fixed number of blocks; a full block is known by a hash that is chained over everything before it.
 * A block that no sequence uses any more keeps its content until it is taken for something else, least recently freed first, and the
 * tail of a sequence before its head: the policy of vLLM's block pool. Not thread-safe.
 *
 * <p>Two different prefixes with one 64-bit hash would be taken for the same; nothing here guards against that.
 */
final class KvCache {
    /** One slot of memory. Its hash is 0 while its content is not a full, shareable block. */
    static final class Block {
        private long hash;
        private int users;
    }

    private final int blockSize;
    private final int capacity;
    private final boolean shared;
    private final SequencedSet<Block> free = new LinkedHashSet<>();
    private final Map<Long, Block> byHash = new HashMap<>();

    KvCache(int blockSize, int capacity, boolean prefixCaching) {
        if (blockSize < 1 || capacity < 1) {
            throw new IllegalArgumentException("block size " + blockSize + ", capacity " + capacity);
        }
        this.blockSize = blockSize;
        this.capacity = capacity;
        this.shared = prefixCaching;
        for (int i = 0; i < capacity; i++) {
            free.addLast(new Block());
        }
    }

    int blockSize() {
        return blockSize;
    }

    int capacity() {
        return capacity;
    }

    /** Blocks that sequences hold now, as a fraction of all. */
    double used() {
        return (capacity - free.size()) / (double) capacity;
    }

    /**
     * Takes the longest cached prefix for a new sequence and appends its blocks to {@code into}.
     *
     * @param hashes the chained hashes of the sequence's full blocks, in order
     * @return how many leading blocks were there
     */
    int takePrefix(List<Long> hashes, List<Block> into) {
        if (!shared) {
            return 0;
        }
        int found = 0;
        for (long hash : hashes) {
            Block block = byHash.get(hash);
            if (block == null) {
                break;
            }
            if (block.users++ == 0) {
                free.remove(block);
            }
            into.add(block);
            found++;
        }
        return found;
    }

    /** Appends as many fresh blocks as {@code tokens} need in all; false, and nothing changed, when there are not enough. */
    boolean grow(List<Block> blocks, int tokens) {
        int missing = Math.ceilDiv(tokens, blockSize) - blocks.size();
        if (missing > free.size()) {
            return false;
        }
        for (int i = 0; i < missing; i++) {
            Block block = free.removeFirst();
            forget(block);
            block.users = 1;
            blocks.add(block);
        }
        return true;
    }

    /** Makes a block that is now full findable. A second block with the same content stays private to its sequence. */
    void publish(Block block, long hash) {
        if (shared && block.hash == 0 && byHash.putIfAbsent(hash, block) == null) {
            block.hash = hash;
        }
    }

    /** Gives a sequence's blocks back and empties the list. */
    void release(List<Block> blocks) {
        for (Block block : blocks.reversed()) {
            if (--block.users == 0) {
                free.addLast(block);
            }
        }
        blocks.clear();
    }

    /** Forgets all content that no sequence uses. */
    void reset() {
        free.forEach(this::forget);
    }

    private void forget(Block block) {
        if (block.hash != 0) {
            byHash.remove(block.hash);
            block.hash = 0;
        }
    }

    /**
     * The hash of a full block.
     *
     * @param parent the hash of the block before it; for the first block a seed that keeps apart what must not be shared
     */
    static long hash(long parent, int[] tokens, int from, int to) {
        long h = parent;
        for (int i = from; i < to; i++) {
            h = mix(h ^ (tokens[i] + 0x9E3779B97F4A7C15L));
        }
        return h == 0 ? 1 : h;
    }

    /** The seed of a chain: sequences of different adapters or salts share nothing. */
    static long seed(@Nullable String adapter, @Nullable String salt) {
        long h = 0x243F6A8885A308D3L;
        for (String part : List.of(adapter == null ? "" : adapter, "|", salt == null ? "" : salt)) {
            for (int i = 0; i < part.length(); i++) {
                h = mix(h ^ part.charAt(i));
            }
        }
        return h;
    }

    /** The finisher of SplitMix64 after an odd multiplication: every input bit reaches every output bit. */
    private static long mix(long z) {
        long x = z * 0x9E3779B97F4A7C15L + 0x632BE59BD9B4E019L;
        x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }
}
