package dev.plainsail.epp.datalayer;

import java.util.ArrayDeque;

/**
 * The bytes of responses on their way, lent for as long as each takes. Engines are asked at different moments, so of a
 * thousand a few answer at once: memory follows those, not the number of engines. The scraper's thread only.
 */
final class ResponseBuffers {
    private static final int SMALLEST = 16 << 10;
    /** More at once are left to the collector. */
    private static final int KEPT = 16;
    /** A larger one is an exception, and would stay for ever. */
    private static final int LARGEST_KEPT = 1 << 20;

    private final ArrayDeque<byte[]> free = new ArrayDeque<>();

    byte[] take() {
        byte[] last = free.pollLast();
        return last == null ? new byte[SMALLEST] : last;
    }

    /** @param buffer perhaps a larger one than was taken */
    void give(byte[] buffer) {
        if (free.size() < KEPT && buffer.length <= LARGEST_KEPT) {
            free.addLast(buffer);
        }
    }
}
