package dev.plainsail.epp.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Finds how far the text of a JSON string goes on without anything special, eight bytes a step (SWAR). */
final class PlainText {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;

    private PlainText() {}

    /** The index of the first quote, backslash or control byte, or {@code to}. */
    static int end(byte[] bytes, int from, int to) {
        int at = from;
        for (int last = to - Long.BYTES; at <= last; at += Long.BYTES) {
            long word = (long) LONG.get(bytes, at);
            long quote = word ^ (ONES * '"');
            long backslash = word ^ (ONES * '\\');
            // For each byte x: (x - n) & ~x has the high bit set if x < n; borrows only ever flag bytes above a hit.
            long hits = (((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) | ((word - ONES * 0x20) & ~word))
                    & HIGHS;
            if (hits != 0) {
                return at + (Long.numberOfTrailingZeros(hits) >>> 3);
            }
        }
        while (at < to) {
            byte b = bytes[at];
            if (b == '"' || b == '\\' || (b >= 0 && b < 0x20)) {
                return at;
            }
            at++;
        }
        return to;
    }
}
