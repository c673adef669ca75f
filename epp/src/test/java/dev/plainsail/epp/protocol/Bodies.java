package dev.plainsail.epp.protocol;

import dev.plainsail.epp.prefix.BlockHashes;
import java.nio.charset.StandardCharsets;

/** Request bodies as the picker reads them, for tests of other packages. */
public final class Bodies {
    private static final int MOST_BLOCKS = 2048;

    private Bodies() {}

    /** The block hashes of a body's prompt. */
    public static BlockHashes prefix(String body) {
        BodyReader reader = new BodyReader(MOST_BLOCKS);
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        reader.read(bytes, 0, bytes.length);
        reader.end();
        return reader.facts().prefix();
    }
}
