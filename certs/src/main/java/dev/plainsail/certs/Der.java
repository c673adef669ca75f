package dev.plainsail.certs;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** As much of DER as wrapping a bare key in PKCS#8 takes: single-byte tags, definite lengths. */
final class Der {
    static final int INTEGER = 0x02;
    static final int OCTET_STRING = 0x04;
    static final int OBJECT_IDENTIFIER = 0x06;
    static final int SEQUENCE = 0x30;

    private final byte[] bytes;
    private final int end;
    private int position;

    Der(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    private Der(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.position = from;
        this.end = end;
    }

    boolean hasMore() {
        return position < end;
    }

    int peekTag() throws UnusableKeyPairException {
        if (!hasMore()) {
            throw new UnusableKeyPairException("the key's structure ends too early");
        }
        return bytes[position] & 0xff;
    }

    /** The contents of the next value, which must have this tag. */
    Der open(int tag) throws UnusableKeyPairException {
        if (peekTag() != tag) {
            throw new UnusableKeyPairException(
                    "the key's structure has tag 0x%02x where 0x%02x belongs".formatted(peekTag(), tag));
        }
        position++;
        int length = length();
        Der contents = new Der(bytes, position, position + length);
        position += length;
        return contents;
    }

    byte[] rest() {
        return Arrays.copyOfRange(bytes, position, end);
    }

    private int length() throws UnusableKeyPairException {
        int first = byteAt(position++);
        if (first < 0x80) {
            return checked(first);
        }
        int count = first & 0x7f;
        if (count == 0 || count > 3) {
            throw new UnusableKeyPairException("the key's structure has a length of " + count + " bytes");
        }
        int length = 0;
        for (int i = 0; i < count; i++) {
            length = length << 8 | byteAt(position++);
        }
        return checked(length);
    }

    private int byteAt(int index) throws UnusableKeyPairException {
        if (index >= end) {
            throw new UnusableKeyPairException("the key's structure ends too early");
        }
        return bytes[index] & 0xff;
    }

    private int checked(int length) throws UnusableKeyPairException {
        if (length > end - position) {
            throw new UnusableKeyPairException("the key's structure is cut off");
        }
        return length;
    }

    static byte[] write(int tag, byte[]... parts) {
        ByteArrayOutputStream contents = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            contents.writeBytes(part);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        int length = contents.size();
        if (length < 0x80) {
            out.write(length);
        } else {
            int count = length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
            out.write(0x80 | count);
            for (int i = count - 1; i >= 0; i--) {
                out.write(length >>> (8 * i));
            }
        }
        out.writeBytes(contents.toByteArray());
        return out.toByteArray();
    }
}
