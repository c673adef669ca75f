package dev.plainsail.epp.protocol;

/**
 * A free list of byte arrays of one size for the bodies that pass one event loop. Arrays of 32 KiB hold one of Envoy's
 * usual pieces and stay far below what G1 calls humongous. An array that is not given back is garbage, not a leak. Used
 * by its own loop only.
 */
final class Chunks {
    static final int BYTES = 32 * 1024;

    private final byte[][] free;
    private int count;

    /** @param most arrays kept for later; more than that go to the garbage collector */
    Chunks(int most) {
        free = new byte[most][];
    }

    byte[] take() {
        if (count == 0) {
            return new byte[BYTES];
        }
        return free[--count];
    }

    void give(byte[] chunk) {
        if (chunk.length == BYTES && count < free.length) {
            free[count++] = chunk;
        }
    }
}
