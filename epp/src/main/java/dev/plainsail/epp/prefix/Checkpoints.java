package dev.plainsail.epp.prefix;

/**
 * The prefix lengths, in blocks, that the index stores: each up to 64, every 2nd up to 128, every 4th up to 256 and so
 * on. 224 of 2,048; the gap before a length is never more than 1/32 of it.
 */
final class Checkpoints {
    private static final int DENSE = 64;

    private Checkpoints() {}

    /** Log2 of the gap between the checkpoint of this length and the one before. */
    static int shiftAt(int length) {
        return length <= DENSE ? 0 : 32 - Integer.numberOfLeadingZeros((length - 1) / DENSE);
    }

    static int after(int checkpoint) {
        return checkpoint + (1 << shiftAt(checkpoint + 1));
    }

    /** 0 when there is none. */
    static int before(int checkpoint) {
        return checkpoint - (1 << shiftAt(checkpoint));
    }

    static int lastUpTo(int length) {
        return length & -(1 << shiftAt(length));
    }
}
