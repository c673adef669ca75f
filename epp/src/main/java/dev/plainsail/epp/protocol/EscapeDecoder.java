package dev.plainsail.epp.protocol;

/**
 * Decodes the escapes of JSON strings into UTF-8. The first half of a surrogate pair waits for the second; one that stays
 * alone becomes the three bytes that Python's reader would make of it. What was decoded stands in one small buffer until
 * the next call.
 */
final class EscapeDecoder {
    /** There is no such escape. */
    static final int BAD = -1;

    /** More digits must come. */
    static final int MORE = -2;

    private static final int DIGITS = 4;

    private final byte[] decoded = new byte[8];
    private int length;
    private int unit;
    private int digits;
    private int half;

    void reset() {
        half = 0;
    }

    /** Where the bytes stand. */
    byte[] decoded() {
        return decoded;
    }

    /** Whether the first half of a pair waits. */
    boolean isHalf() {
        return half != 0;
    }

    /** Gives up waiting for a second half. @return how many bytes were decoded */
    int half() {
        length = 0;
        writeHalf();
        return length;
    }

    /** An escape of one letter. @return how many bytes were decoded, or {@link #BAD} */
    int simple(byte letter) {
        int value = switch (letter) {
            case '"', '\\', '/' -> letter;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> BAD;
        };
        if (value == BAD) {
            return BAD;
        }
        if (half == 0) {
            decoded[0] = (byte) value;
            return 1;
        }
        length = 0;
        writeHalf();
        decoded[length++] = (byte) value;
        return length;
    }

    /** Four hex digits follow. */
    void beginUnit() {
        unit = 0;
        digits = 0;
    }

    /** @return how many bytes were decoded, {@link #MORE} or {@link #BAD} */
    int digit(byte b) {
        int digit = Character.digit(b, 16);
        if (digit < 0) {
            return BAD;
        }
        unit = (unit << 4) | digit;
        if (++digits < DIGITS) {
            return MORE;
        }
        length = 0;
        char whole = (char) unit;
        if (half != 0 && Character.isLowSurrogate(whole)) {
            int point = Character.toCodePoint((char) half, whole);
            half = 0;
            write(point);
            return length;
        }
        writeHalf();
        if (Character.isHighSurrogate(whole)) {
            half = whole;
        } else {
            write(whole);
        }
        return length;
    }

    private void writeHalf() {
        int alone = half;
        half = 0;
        if (alone != 0) {
            write(alone);
        }
    }

    private void write(int point) {
        if (point < 0x80) {
            decoded[length++] = (byte) point;
        } else if (point < 0x800) {
            decoded[length++] = (byte) (0xC0 | (point >> 6));
            decoded[length++] = continuation(point);
        } else if (point < 0x10000) {
            decoded[length++] = (byte) (0xE0 | (point >> 12));
            decoded[length++] = continuation(point >> 6);
            decoded[length++] = continuation(point);
        } else {
            decoded[length++] = (byte) (0xF0 | (point >> 18));
            decoded[length++] = continuation(point >> 12);
            decoded[length++] = continuation(point >> 6);
            decoded[length++] = continuation(point);
        }
    }

    private static byte continuation(int bits) {
        return (byte) (0x80 | (bits & 0x3F));
    }
}
