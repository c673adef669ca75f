package dev.plainsail.epp.prefix;

import java.util.Arrays;

/**
 * The chained hashes of a prompt's blocks: element {@code i} stands for the blocks {@code 0..i} together, so equal
 * elements mean equal prefixes (up to 64-bit collisions). Immutable by convention: the array is not copied on the hot path.
 */
public final class BlockHashes {
    /** No prompt, or one that is shorter than a block. */
    public static final BlockHashes NONE = new BlockHashes(new long[0], 0);

    private final long[] hashes;
    private final int size;

    /**
     * @param hashes owned by this object from now on
     * @param size how many of its elements count
     */
    public BlockHashes(long[] hashes, int size) {
        if (size < 0 || size > hashes.length) {
            throw new IllegalArgumentException("size " + size + " of " + hashes.length);
        }
        this.hashes = hashes;
        this.size = size;
    }

    public int size() {
        return size;
    }

    /** @param block from 0 to {@code size() - 1} */
    public long at(int block) {
        return hashes[block];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BlockHashes that && Arrays.equals(hashes, 0, size, that.hashes, 0, that.size);
    }

    @Override
    public int hashCode() {
        return size == 0 ? 0 : Long.hashCode(hashes[size - 1]);
    }
}
