package dev.plainsail.epp.protocol;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * A piece of body that goes back to the proxy as {@code streamed_response}. The bytes stay in the chunks where they
 * arrived and are copied once, by the transport. One object serves all pieces of an event loop, one after the other.
 */
final class BodyAnswer extends Answer {
    /** Envoy takes more, other gateways limit messages near 64 KB; this is the size that llm-d's picker uses. */
    static final int MOST_BYTES = 62_000;

    private static final int TAG_BYTES_1 = 1 << 3 | WireReader.BYTES;
    private static final int TAG_BYTES_3 = 3 << 3 | WireReader.BYTES;
    private static final int TAG_END = 2 << 3;
    private static final int LONGEST_PREFIX = 40;

    private final byte[] prefix = new byte[LONGEST_PREFIX];
    private byte[][] arrays = new byte[8][];
    private int[] bounds = new int[16];
    private byte[][] releasable = new byte[8][];
    private int spans;
    private int releasables;
    private int prefixFrom;
    private int bodyBytes;
    private boolean end;

    void add(byte[] array, int from, int to) {
        if (spans == arrays.length) {
            arrays = Arrays.copyOf(arrays, spans * 2);
            bounds = Arrays.copyOf(bounds, spans * 4);
        }
        arrays[spans] = array;
        bounds[spans * 2] = from;
        bounds[spans * 2 + 1] = to;
        spans++;
        bodyBytes += to - from;
    }

    void releaseLater(byte[] array) {
        if (releasables == releasable.length) {
            releasable = Arrays.copyOf(releasable, releasables * 2);
        }
        releasable[releasables++] = array;
    }

    /**
     * Closes the piece.
     *
     * @param field of {@code ProcessingResponse}: 3 for the request's body, 4 for the response's
     */
    BodyAnswer finish(int field, boolean endOfStream) {
        end = endOfStream;
        // From the inside out, backwards: StreamedBodyResponse, BodyMutation, CommonResponse, BodyResponse.
        int at = LONGEST_PREFIX;
        if (bodyBytes > 0) {
            at = back(at, bodyBytes, TAG_BYTES_1);
        }
        at = back(at, tail(at), TAG_BYTES_3);
        at = back(at, tail(at), TAG_BYTES_3);
        at = back(at, tail(at), TAG_BYTES_1);
        prefixFrom = back(at, tail(at), field << 3 | WireReader.BYTES);
        return this;
    }

    private int tail(int at) {
        return LONGEST_PREFIX - at + bodyBytes + (end ? 2 : 0);
    }

    /** Writes tag and length so that they end before an index; gives the index of the tag. */
    private int back(int before, int length, int tag) {
        int bytes = length < 1 << 7 ? 1 : length < 1 << 14 ? 2 : length < 1 << 21 ? 3 : length < 1 << 28 ? 4 : 5;
        int at = before - bytes;
        int rest = length;
        for (int i = 0; i < bytes - 1; i++) {
            prefix[at + i] = (byte) ((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        prefix[at + bytes - 1] = (byte) rest;
        prefix[at - 1] = (byte) tag;
        return at - 1;
    }

    @Override
    int size() {
        return tail(prefixFrom);
    }

    @Override
    void writeTo(OutputStream out) throws IOException {
        out.write(prefix, prefixFrom, LONGEST_PREFIX - prefixFrom);
        for (int i = 0; i < spans; i++) {
            out.write(arrays[i], bounds[i * 2], bounds[i * 2 + 1] - bounds[i * 2]);
        }
        if (end) {
            out.write(TAG_END);
            out.write(1);
        }
    }

    /** Makes it ready for the next piece; chunks that were taken whole go back. */
    void clear(Chunks chunks) {
        for (int i = 0; i < releasables; i++) {
            chunks.give(releasable[i]);
        }
        Arrays.fill(arrays, 0, spans, null);
        Arrays.fill(releasable, 0, releasables, null);
        spans = 0;
        releasables = 0;
        bodyBytes = 0;
        end = false;
    }
}
