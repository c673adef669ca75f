package dev.plainsail.e2e.engine.http;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The bytes of a body; not copied, not to be changed. */
public final class Body {
    static final Body EMPTY = new Body(new byte[0]);

    private final byte[] bytes;

    Body(byte[] bytes) {
        this.bytes = bytes;
    }

    public int size() {
        return bytes.length;
    }

    public InputStream stream() {
        return new ByteArrayInputStream(bytes);
    }

    public String utf8() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
