package dev.plainsail.epp.protocol;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over one protobuf message in an array: fields in any order, unknown ones skipped.
 *
 * <pre>{@code
 * while (reader.next()) {
 *     switch (reader.field()) { case 1 -> ...; default -> reader.skip(); }
 * }
 * }</pre>
 *
 * Every field must be read or skipped. Text that is not protobuf ends in {@link Malformed}.
 */
final class WireReader {
    /** The bytes are no message. */
    static final class Malformed extends RuntimeException {
        Malformed(String message) {
            super(message, null, false, false);
        }
    }

    static final int VARINT = 0;
    static final int FIXED64 = 1;
    static final int BYTES = 2;
    static final int START_GROUP = 3;
    static final int END_GROUP = 4;
    static final int FIXED32 = 5;

    private static final int MAX_GROUPS = 100;

    private final byte[] bytes;
    private int at;
    private int end;
    private int tag;
    private String entryKey = "";

    WireReader(byte[] bytes, int from, int to) {
        this.bytes = bytes;
        this.at = from;
        this.end = to;
    }

    byte[] bytes() {
        return bytes;
    }

    int position() {
        return at;
    }

    /** Goes to the next field; false at the end of the message. */
    boolean next() {
        if (at == end) {
            return false;
        }
        tag = (int) varint();
        if (tag >>> 3 == 0) {
            throw new Malformed("field number 0");
        }
        return true;
    }

    int field() {
        return tag >>> 3;
    }

    /** Whether the field is of bytes, text or a message; if not, the caller skips it as an unknown one. */
    boolean isBytes() {
        return (tag & 7) == BYTES;
    }

    boolean isVarint() {
        return (tag & 7) == VARINT;
    }

    boolean isFixed64() {
        return (tag & 7) == FIXED64;
    }

    long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at == end) {
                throw new Malformed("a number is cut off");
            }
            byte b = bytes[at++];
            value |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new Malformed("a number is longer than 64 bits");
    }

    double fixedDouble() {
        need(Double.BYTES);
        long bits = 0;
        for (int i = 0; i < Double.BYTES; i++) {
            bits |= (bytes[at + i] & 0xFFL) << (8 * i);
        }
        at += Double.BYTES;
        return Double.longBitsToDouble(bits);
    }

    /** Reads the length of the field; its content begins at {@link #position} and the caller steps over it. */
    int length() {
        long length = varint();
        if (length < 0 || length > end - at) {
            throw new Malformed("a field is longer than its message");
        }
        return (int) length;
    }

    String text() {
        int length = length();
        String text = new String(bytes, at, length, StandardCharsets.UTF_8);
        at += length;
        return text;
    }

    /** A reader of the message in this field; this reader is behind it afterwards. */
    WireReader message() {
        int length = length();
        WireReader inner = new WireReader(bytes, at, at + length);
        at += length;
        return inner;
    }

    /**
     * The value of one entry of a map from text to messages, all of which this reader then has behind it; null if it has
     * none. Its key is {@link #entryKey}.
     */
    @Nullable
    WireReader entryValue() {
        entryKey = "";
        WireReader value = null;
        while (next()) {
            if (field() == 1 && isBytes()) {
                entryKey = text();
            } else if (field() == 2 && isBytes()) {
                value = message();
            } else {
                skip();
            }
        }
        return value;
    }

    /** Of the entry that was read last; "" if it had none. */
    String entryKey() {
        return entryKey;
    }

    void step(int length) {
        need(length);
        at += length;
    }

    /** Skips the field that {@link #next} came to. */
    void skip() {
        skip(tag, 0);
    }

    private void skip(int which, int groups) {
        switch (which & 7) {
            case VARINT -> varint();
            case FIXED64 -> step(Long.BYTES);
            case BYTES -> step(length());
            case START_GROUP -> skipGroup(which, groups);
            case FIXED32 -> step(Integer.BYTES);
            default -> throw new Malformed("wire type " + (which & 7));
        }
    }

    private void skipGroup(int which, int groups) {
        if (groups == MAX_GROUPS) {
            throw new Malformed("groups are nested too deep");
        }
        while (true) {
            int inner = (int) varint();
            if (inner >>> 3 == 0) {
                throw new Malformed("field number 0");
            }
            if ((inner & 7) == END_GROUP) {
                if (inner >>> 3 != which >>> 3) {
                    throw new Malformed("a group ends as another");
                }
                return;
            }
            skip(inner, groups + 1);
        }
    }

    private void need(int length) {
        if (length > end - at) {
            throw new Malformed("a field is cut off");
        }
    }
}
