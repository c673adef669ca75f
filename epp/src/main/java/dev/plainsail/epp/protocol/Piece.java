package dev.plainsail.epp.protocol;

import java.util.Arrays;

/**
 * Some bytes of a body, in one span or in several where they lie. Owns the arrays that came from a free list until
 * {@link #release}.
 */
final class Piece {
    static final Piece EMPTY = new Piece(new byte[0], 0, 0);

    private byte[][] arrays;
    private int spans;
    private int firstFrom;
    private int lastTo;
    private long size;

    /** One span of an array. */
    Piece(byte[] array, int from, int to) {
        arrays = new byte[][] {array};
        spans = 1;
        firstFrom = from;
        lastTo = to;
        size = (long) to - from;
    }

    /** Whole chunks, the last filled up to an index. */
    Piece(byte[][] chunks, int spans, int lastTo) {
        this.arrays = chunks;
        this.spans = spans;
        this.lastTo = lastTo;
        this.size = (spans - 1L) * Chunks.BYTES + lastTo;
    }

    int spans() {
        return spans;
    }

    byte[] array(int span) {
        return arrays[span];
    }

    int from(int span) {
        return span == 0 ? firstFrom : 0;
    }

    int to(int span) {
        return span == spans - 1 ? lastTo : arrays[span].length;
    }

    long size() {
        return size;
    }

    /** Bytes of memory that are held, which is what a budget counts. */
    long held() {
        long held = 0;
        for (int i = 0; i < spans; i++) {
            held += arrays[i].length;
        }
        return held;
    }

    /** Gives the chunks back; the piece is empty from now on. */
    void release(Chunks chunks) {
        if (size == 0) {
            return;
        }
        for (int i = 0; i < spans; i++) {
            chunks.give(arrays[i]);
        }
        spans = 0;
        size = 0;
        arrays = new byte[0][];
    }

    byte[] toByteArray() {
        byte[] all = new byte[(int) size];
        int at = 0;
        for (int i = 0; i < spans; i++) {
            int length = to(i) - from(i);
            System.arraycopy(arrays[i], from(i), all, at, length);
            at += length;
        }
        return all;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Piece that && Arrays.equals(toByteArray(), that.toByteArray());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(toByteArray());
    }
}
