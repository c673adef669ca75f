package dev.plainsail.epp.protocol;

import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decodes a gzip body for reading only, while its pieces arrive; what is sent on stays as it came. Stops at a limit of
 * decoded bytes, so a small body that unfolds to gigabytes costs no more than a large one. What cannot be decoded is no
 * error here: the body is then routed without having been read.
 */
final class GzipReader implements AutoCloseable {
    private static final int FIXED_HEADER = 10;
    private static final int MAGIC_1 = 0x1F;
    private static final int MAGIC_2 = 0x8B;
    private static final int DEFLATE = 8;
    private static final int BUFFER_BYTES = 8192;

    private final Inflater inflater = new Inflater(true);
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final byte[] header = new byte[FIXED_HEADER];
    private final long limit;
    private int headerBytes;
    private long decoded;
    private boolean unreadable;

    /** @param limit most decoded bytes */
    GzipReader(long limit) {
        this.limit = limit;
    }

    /** Takes the next bytes of the body and gives what they decode to on to the reader. */
    void read(byte[] bytes, int from, int to, BodyReader into) {
        int at = from;
        while (at < to && headerBytes < FIXED_HEADER) {
            header[headerBytes++] = bytes[at++];
        }
        if (headerBytes < FIXED_HEADER || unreadable || at == to) {
            return;
        }
        if (!isPlainHeader()) {
            unreadable = true;
            return;
        }
        inflater.setInput(bytes, at, to - at);
        try {
            inflate(into);
        } catch (DataFormatException e) {
            unreadable = true;
        }
    }

    private void inflate(BodyReader into) throws DataFormatException {
        while (!inflater.finished() && !unreadable) {
            int count = inflater.inflate(buffer);
            if (count == 0) {
                return;
            }
            decoded += count;
            if (decoded > limit) {
                unreadable = true;
                return;
            }
            into.read(buffer, 0, count);
        }
    }

    /** HTTP clients write no file names or comments; a header with them is not read. */
    private boolean isPlainHeader() {
        return (header[0] & 0xFF) == MAGIC_1 && (header[1] & 0xFF) == MAGIC_2 && header[2] == DEFLATE && header[3] == 0;
    }

    /** Whether the whole body was decoded. */
    boolean isWhole() {
        return !unreadable && inflater.finished();
    }

    @Override
    public void close() {
        inflater.end();
    }
}
