package dev.plainsail.epp.datalayer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * One HTTP/1.1 response as its bytes arrive: by content length, in chunks, or up to the end of the connection. Bounded.
 * Reused from one response to the next; its buffer is lent to it from the first byte until {@link #release}.
 */
final class RawResponse {
    /** Ten times what a busy vLLM with many adapters writes. */
    static final int MAX_BYTES = 8 << 20;

    private static final byte[] NONE = {};

    private final ResponseBuffers buffers;
    private byte[] bytes = NONE;
    private int size;
    private int headerEnd;
    private int status;
    private long length;
    private boolean chunked;
    private boolean keepAlive;
    private int chunkAt;
    private int bodyEnd;

    RawResponse(ResponseBuffers buffers) {
        this.buffers = buffers;
    }

    /** Nobody looks at the bytes any more. Idempotent. */
    void release() {
        if (bytes.length > 0) {
            buffers.give(bytes);
            bytes = NONE;
        }
    }

    void reset() {
        size = 0;
        headerEnd = 0;
        status = 0;
        length = -1;
        chunked = false;
        keepAlive = true;
        bodyEnd = -1;
    }

    /** Takes all bytes of the buffer. @throws MalformedResponseException when they are no response, or too many */
    void feed(ByteBuffer more) throws MalformedResponseException {
        if (size + more.remaining() > MAX_BYTES) {
            throw new MalformedResponseException("more than " + MAX_BYTES + " bytes");
        }
        if (bytes.length == 0) {
            bytes = buffers.take();
        }
        if (size + more.remaining() > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(size + more.remaining(), bytes.length * 2));
        }
        int count = more.remaining();
        more.get(bytes, size, count);
        size += count;
        if (headerEnd == 0) {
            findHeaders(Math.max(0, size - count - 3));
        }
        if (headerEnd > 0) {
            findEnd();
        }
    }

    /** The connection was closed by the other side. */
    void ended() {
        if (headerEnd > 0 && bodyEnd < 0 && length < 0 && !chunked) {
            bodyEnd = size;
        }
        keepAlive = false;
    }

    boolean complete() {
        return bodyEnd >= 0;
    }

    /** Whether nothing has come yet: a kept connection that ends so was closed while idle, and is worth another try. */
    boolean empty() {
        return size == 0;
    }

    boolean keepAlive() {
        return keepAlive;
    }

    int status() {
        return status;
    }

    byte[] bytes() {
        return bytes;
    }

    int bodyStart() {
        return headerEnd;
    }

    int bodyEnd() {
        return bodyEnd;
    }

    private void findHeaders(int from) throws MalformedResponseException {
        for (int i = from; i + 3 < size; i++) {
            if (bytes[i] == '\r' && bytes[i + 1] == '\n' && bytes[i + 2] == '\r' && bytes[i + 3] == '\n') {
                headers(new String(bytes, 0, i, StandardCharsets.ISO_8859_1).split("\r\n"));
                headerEnd = i + 4;
                chunkAt = headerEnd;
                bodyEnd = -1;
                return;
            }
        }
    }

    private void headers(String[] lines) throws MalformedResponseException {
        String[] words = lines[0].split(" ", 3);
        if (words.length < 2 || !words[0].startsWith("HTTP/1.") || !words[1].matches("[1-5][0-9][0-9]")) {
            throw new MalformedResponseException("no HTTP/1.1 response");
        }
        status = Integer.parseInt(words[1]);
        keepAlive = !words[0].equals("HTTP/1.0");
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            String name = lines[i].substring(0, Math.max(colon, 0)).toLowerCase(Locale.ROOT);
            String value = lines[i].substring(colon + 1).trim().toLowerCase(Locale.ROOT);
            switch (name) {
                case "content-length" -> length = number(value, 10);
                case "transfer-encoding" -> chunked = value.endsWith("chunked");
                case "connection" -> keepAlive &= !value.equals("close");
                default -> {}
            }
        }
        if (chunked) {
            length = -1;
        }
    }

    private void findEnd() throws MalformedResponseException {
        if (chunked) {
            findLastChunk();
        } else if (length >= 0 && size >= headerEnd + length) {
            bodyEnd = (int) (headerEnd + length);
        }
    }

    /** Moves each chunk that is whole to the end of those before it; {@code length} counts what is decoded so far. */
    private void findLastChunk() throws MalformedResponseException {
        length = Math.max(length, 0);
        while (bodyEnd < 0) {
            int lineEnd = chunkAt;
            while (lineEnd + 1 < size && !(bytes[lineEnd] == '\r' && bytes[lineEnd + 1] == '\n')) {
                lineEnd++;
            }
            if (lineEnd + 1 >= size) {
                return;
            }
            String line = new String(bytes, chunkAt, lineEnd - chunkAt, StandardCharsets.ISO_8859_1);
            int chunk = (int) number(line.split(";", 2)[0].trim(), 16);
            int start = lineEnd + 2;
            if (size < start + chunk + 2) {
                return;
            }
            System.arraycopy(bytes, start, bytes, (int) (headerEnd + length), chunk);
            length += chunk;
            chunkAt = start + chunk + 2;
            if (chunk == 0) {
                bodyEnd = (int) (headerEnd + length);
            }
        }
    }

    private static long number(String text, int radix) throws MalformedResponseException {
        try {
            long number = Long.parseLong(text, radix);
            if (number >= 0 && number <= MAX_BYTES) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new MalformedResponseException("'" + text + "' is no length", e);
        }
        throw new MalformedResponseException("'" + text + "' is no length that is read");
    }

    /** What the other side sent is no response that we read. */
    static final class MalformedResponseException extends IOException {
        MalformedResponseException(String message) {
            super(message);
        }

        MalformedResponseException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
