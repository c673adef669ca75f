package dev.plainsail.epp.protocol;

import java.io.IOException;
import java.io.OutputStream;

/** An answer that lies ready as bytes. May be sent many times. */
final class FixedAnswer extends Answer {
    private final byte[] bytes;

    FixedAnswer(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    int size() {
        return bytes.length;
    }

    @Override
    void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, bytes.length);
    }
}
