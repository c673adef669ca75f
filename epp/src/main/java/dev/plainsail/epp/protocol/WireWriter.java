package dev.plainsail.epp.protocol;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Builds a protobuf message, field after field. For answers that are made once or seldom. */
final class WireWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    WireWriter varint(int field, long value) {
        raw((long) field << 3 | WireReader.VARINT);
        raw(value);
        return this;
    }

    WireWriter fixedDouble(int field, double value) {
        raw((long) field << 3 | WireReader.FIXED64);
        long bits = Double.doubleToRawLongBits(value);
        for (int i = 0; i < Double.BYTES; i++) {
            out.write((int) (bits >>> (8 * i)));
        }
        return this;
    }

    WireWriter bytes(int field, byte[] value) {
        raw((long) field << 3 | WireReader.BYTES);
        raw(value.length);
        out.writeBytes(value);
        return this;
    }

    WireWriter text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    WireWriter message(int field, WireWriter value) {
        return bytes(field, value.toByteArray());
    }

    byte[] toByteArray() {
        return out.toByteArray();
    }

    private void raw(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) ((rest & 0x7F) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
