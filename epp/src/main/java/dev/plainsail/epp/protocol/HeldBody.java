package dev.plainsail.epp.protocol;

import dev.plainsail.epp.protocol.BodyFacts.Span;
import java.util.Arrays;
import java.util.List;

/**
 * A body, or a part of one, that waits to be sent on: spans of bytes where they arrived, and how far they have been
 * taken. Chunks that are taken whole go back to the free list at once.
 */
final class HeldBody {
    private byte[][] arrays = new byte[4][];
    private int[] bounds = new int[8];
    private int count;
    private int first;
    private long received;
    private long left;
    private long held;
    private boolean spliced;

    /** Bytes that were added, taken or not. */
    long received() {
        return received;
    }

    /** Bytes that wait. */
    long left() {
        return left;
    }

    /** Memory that is held, for the budget. */
    long held() {
        return held;
    }

    /** Owns the piece's arrays from now on. */
    void add(Piece piece) {
        for (int i = 0; i < piece.spans(); i++) {
            add(piece.array(i), piece.from(i), piece.to(i));
        }
    }

    void add(byte[] array, int from, int to) {
        if (from == to) {
            return;
        }
        if (count == arrays.length) {
            compactOrGrow();
        }
        arrays[count] = array;
        bounds[count * 2] = from;
        bounds[count * 2 + 1] = to;
        count++;
        received += to - from;
        left += to - from;
        held += array.length;
    }

    private void compactOrGrow() {
        if (first > count / 2) {
            System.arraycopy(arrays, first, arrays, 0, count - first);
            System.arraycopy(bounds, first * 2, bounds, 0, (count - first) * 2);
            count -= first;
            first = 0;
            return;
        }
        arrays = Arrays.copyOf(arrays, count * 2);
        bounds = Arrays.copyOf(bounds, count * 4);
    }

    /** Writes the next bytes, as many as there are up to a limit, behind a prefix, and forgets them. */
    int take(BodyAnswer into, int limit, Chunks chunks) {
        int taken = 0;
        while (first < count && taken < limit) {
            int from = bounds[first * 2];
            int to = bounds[first * 2 + 1];
            int part = Math.min(to - from, limit - taken);
            into.add(arrays[first], from, from + part);
            taken += part;
            if (part < to - from) {
                bounds[first * 2] = from + part;
                break;
            }
            held -= arrays[first].length;
            if (!spliced) {
                into.releaseLater(arrays[first]);
            }
            first++;
        }
        left -= taken;
        if (first == count) {
            first = 0;
            count = 0;
        }
        return taken;
    }

    /**
     * Puts other bytes in place of some spans. Only before anything was taken. One chunk may lie in several spans
     * afterwards, so none goes back to the free list any more.
     */
    void replace(List<Span> spans, byte[] with) {
        HeldBody changed = new HeldBody();
        long at = 0;
        long offset = 0;
        int next = 0;
        for (int i = 0; i < count; i++) {
            int from = bounds[i * 2];
            int to = bounds[i * 2 + 1];
            long end = offset + to - from;
            while (at < end) {
                if (next < spans.size() && at >= spans.get(next).from()) {
                    changed.add(with, 0, with.length);
                    at = spans.get(next++).to();
                    continue;
                }
                long stop = next < spans.size() ? Math.min(end, spans.get(next).from()) : end;
                changed.add(arrays[i], from + (int) (at - offset), from + (int) (stop - offset));
                at = stop;
            }
            offset = end;
        }
        arrays = changed.arrays;
        bounds = changed.bounds;
        count = changed.count;
        left = changed.left;
        spliced = true;
    }

    byte[] toByteArray() {
        byte[] all = new byte[Math.toIntExact(left)];
        int at = 0;
        for (int i = first; i < count; i++) {
            int length = bounds[i * 2 + 1] - bounds[i * 2];
            System.arraycopy(arrays[i], bounds[i * 2], all, at, length);
            at += length;
        }
        return all;
    }

    /** Gives everything back. */
    void release(Chunks chunks) {
        for (int i = first; i < count && !spliced; i++) {
            chunks.give(arrays[i]);
        }
        first = 0;
        count = 0;
        left = 0;
        held = 0;
    }
}
