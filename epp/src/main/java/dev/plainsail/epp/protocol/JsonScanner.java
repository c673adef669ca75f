package dev.plainsail.epp.protocol;

import org.jspecify.annotations.Nullable;

/**
 * Reads JSON text that arrives in pieces cut anywhere, and tells what it sees without building anything.
 *
 * <p>It is strict about strings, nesting, commas, colons and the end, and lenient about how numbers and literals are
 * spelt: the engine judges those. Bytes from 0x80 up pass unchecked, so invalid UTF-8 inside a string is not an error.
 * Plain string text is found eight bytes a step (SWAR: a word is tested for quote, backslash and control bytes at once)
 * and handed on where it lies; only escapes are decoded into a small buffer. Costs no allocation after construction.
 *
 * <p>An error is a value: scanning stops, {@link #problem()} says what and where. Not safe for use by two threads.
 */
final class JsonScanner {
    /** Deepest nesting that is read: beyond it Python's own reader gives up soon as well. */
    static final int MAX_DEPTH = 512;

    /** Who hears what the scanner sees. Spans of bytes are valid during the call only. */
    interface Events {
        void beginObject();

        void endObject();

        void beginArray();

        void endArray();

        /** @param length real length of the key in bytes, of which the buffer holds at most {@link #KEY_BYTES} */
        void key(byte[] key, int length);

        /** @param offset of the opening quote in the whole text */
        void beginString(long offset);

        /** Some decoded text of the string that is open. */
        void text(byte[] bytes, int from, int to);

        /** @param end offset behind the closing quote */
        void endString(long end);

        /** A number, true, false or null; at most {@link #LITERAL_BYTES} of it. */
        void literal(byte[] bytes, int length);
    }

    static final int KEY_BYTES = 64;
    static final int LITERAL_BYTES = 40;

    private static final int START = 0;
    private static final int VALUE = 1;
    private static final int FIRST_VALUE_OR_END = 2;
    private static final int FIRST_KEY_OR_END = 3;
    private static final int KEY = 4;
    private static final int COLON = 5;
    private static final int COMMA_OR_END = 6;
    private static final int DONE = 7;
    private static final int STRING = 8;
    private static final int ESCAPE = 9;
    private static final int UNICODE = 10;
    private static final int LITERAL = 11;
    private static final int MARK = 12;

    private final Events events;
    private final byte[] key = new byte[KEY_BYTES];
    private final byte[] literal = new byte[LITERAL_BYTES];
    private final EscapeDecoder escapes = new EscapeDecoder();
    private final long[] objects = new long[MAX_DEPTH / Long.SIZE];
    private int state;
    private int depth;
    private boolean inKey;
    private int keyLength;
    private int literalLength;
    private int markBytes;
    private long base;
    private @Nullable String problem;

    JsonScanner(Events events) {
        this.events = events;
    }

    void reset() {
        state = START;
        depth = 0;
        inKey = false;
        escapes.reset();
        markBytes = 0;
        base = 0;
        problem = null;
    }

    /** What is wrong with the text so far, with its offset; null if nothing is. */
    @Nullable
    String problem() {
        return problem;
    }

    /** How deep the value that is being read is nested; 0 outside of the root. */
    int depth() {
        return depth;
    }

    /** Stops reading because the listener does not accept what it heard. */
    void refuse(String what) {
        if (problem == null) {
            problem = what;
        }
    }

    /** Takes the next bytes of the text. */
    void read(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && problem == null) {
            at = switch (state) {
                case STRING -> string(bytes, at, to, from);
                case LITERAL -> literal(bytes, at, to);
                default -> {
                    single(bytes[at], at - from);
                    yield at + 1;
                }
            };
        }
        base += to - from;
    }

    /** Says that no more bytes come. */
    void end() {
        if (problem != null) {
            return;
        }
        if (state == LITERAL && depth == 0) {
            endLiteral();
        }
        if (state != DONE) {
            problem = base == 0 ? "the text is empty" : "the text ends too early, at byte " + base;
        }
    }

    private void single(byte b, int index) {
        switch (state) {
            case ESCAPE -> escape(b, index);
            case UNICODE -> unicode(b, index);
            case MARK -> mark(b, index);
            default -> {
                if (b != ' ' && b != '\n' && b != '\r' && b != '\t') {
                    structure(b, index);
                }
            }
        }
    }

    private void structure(byte b, int index) {
        switch (state) {
            case START -> {
                if (b == (byte) 0xEF && base + index == 0) {
                    state = MARK;
                    return;
                }
                value(b, index);
            }
            case VALUE -> value(b, index);
            case FIRST_VALUE_OR_END -> {
                if (b == ']') {
                    close(false, index);
                    return;
                }
                value(b, index);
            }
            case FIRST_KEY_OR_END -> {
                if (b == '}') {
                    close(true, index);
                    return;
                }
                key(b, index);
            }
            case KEY -> key(b, index);
            case COLON -> {
                if (b != ':') {
                    unexpected("a colon", index);
                    return;
                }
                state = VALUE;
            }
            case COMMA_OR_END -> commaOrEnd(b, index);
            default -> unexpected("nothing more behind the value", index);
        }
    }

    private void key(byte b, int index) {
        if (b != '"') {
            unexpected("a field name in double quotes", index);
            return;
        }
        inKey = true;
        keyLength = 0;
        state = STRING;
    }

    private void value(byte b, int index) {
        switch (b) {
            case '"' -> {
                state = STRING;
                events.beginString(base + index);
            }
            case '{' -> open(true, index);
            case '[' -> open(false, index);
            default -> {
                if (!isLiteral(b)) {
                    unexpected("a value", index);
                    return;
                }
                literal[0] = b;
                literalLength = 1;
                state = LITERAL;
            }
        }
    }

    private void open(boolean object, int index) {
        if (depth == MAX_DEPTH) {
            problem = "nested deeper than " + MAX_DEPTH + " at byte " + (base + index);
            return;
        }
        if (object) {
            events.beginObject();
            objects[depth >>> 6] |= 1L << depth;
            state = FIRST_KEY_OR_END;
        } else {
            events.beginArray();
            objects[depth >>> 6] &= ~(1L << depth);
            state = FIRST_VALUE_OR_END;
        }
        depth++;
    }

    private boolean inObject() {
        return depth > 0 && ((objects[(depth - 1) >>> 6] >>> (depth - 1)) & 1) != 0;
    }

    private void close(boolean object, int index) {
        if (depth == 0 || inObject() != object) {
            unexpected(inObject() ? "a closing brace" : "a closing bracket", index);
            return;
        }
        depth--;
        if (object) {
            events.endObject();
        } else {
            events.endArray();
        }
        endValue();
    }

    private void endValue() {
        state = depth == 0 ? DONE : COMMA_OR_END;
    }

    private void commaOrEnd(byte b, int index) {
        switch (b) {
            case ',' -> state = inObject() ? KEY : VALUE;
            case '}' -> close(true, index);
            case ']' -> close(false, index);
            default -> unexpected("a comma or the end of the list or object", index);
        }
    }

    private int literal(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && isLiteral(bytes[at])) {
            if (literalLength < LITERAL_BYTES) {
                literal[literalLength++] = bytes[at];
            }
            at++;
        }
        if (at < to) {
            endLiteral();
        }
        return at;
    }

    private void endLiteral() {
        events.literal(literal, literalLength);
        endValue();
    }

    private static boolean isLiteral(byte b) {
        return (b >= '0' && b <= '9')
                || (b >= 'a' && b <= 'z')
                || (b >= 'A' && b <= 'Z')
                || b == '-'
                || b == '+'
                || b == '.';
    }

    private int string(byte[] bytes, int from, int to, int start) {
        if (escapes.isHalf() && bytes[from] != '\\') {
            text(escapes.decoded(), 0, escapes.half());
        }
        int at = PlainText.end(bytes, from, to);
        if (at > from) {
            text(bytes, from, at);
        }
        if (at == to) {
            return at;
        }
        byte b = bytes[at];
        if (b == '"') {
            endString(at - start);
        } else if (b == '\\') {
            state = ESCAPE;
        } else {
            problem = "a control character in a string at byte " + (base + at - start) + "; write it as an escape";
        }
        return at + 1;
    }

    private void endString(int index) {
        if (inKey) {
            inKey = false;
            state = COLON;
            events.key(key, keyLength);
            return;
        }
        events.endString(base + index + 1);
        endValue();
    }

    private void text(byte[] bytes, int from, int to) {
        if (!inKey) {
            events.text(bytes, from, to);
            return;
        }
        int kept = Math.min(to - from, KEY_BYTES - keyLength);
        if (kept > 0) {
            System.arraycopy(bytes, from, key, keyLength, kept);
        }
        keyLength += to - from;
    }

    private void escape(byte b, int index) {
        if (b == 'u') {
            escapes.beginUnit();
            state = UNICODE;
            return;
        }
        int length = escapes.simple(b);
        if (length < 0) {
            problem = "an unknown escape in a string at byte " + (base + index);
            return;
        }
        state = STRING;
        text(escapes.decoded(), 0, length);
    }

    private void unicode(byte b, int index) {
        int length = escapes.digit(b);
        if (length == EscapeDecoder.BAD) {
            problem = "a unicode escape without four hex digits at byte " + (base + index);
        } else if (length != EscapeDecoder.MORE) {
            state = STRING;
            if (length > 0) {
                text(escapes.decoded(), 0, length);
            }
        }
    }

    /** The byte order mark of UTF-8 in front of the text is skipped, as Python does. */
    private void mark(byte b, int index) {
        markBytes++;
        if (b != (byte) (markBytes == 1 ? 0xBB : 0xBF)) {
            unexpected("JSON in UTF-8", index);
            return;
        }
        if (markBytes == 2) {
            state = VALUE;
        }
    }

    private void unexpected(String wanted, int index) {
        problem = "not valid JSON at byte " + (base + index) + ": expected " + wanted;
    }
}
