package dev.plainsail.e2e.engine.http;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads HTTP/1.x requests one after another. Strict where leniency lets two readers see two requests; bounded everywhere. */
final class RequestReader {
    static final int MAX_HEAD_BYTES = 64 * 1024;
    static final int MAX_BODY_BYTES = 128 * 1024 * 1024;

    /** What came is not a request; the connection is of no use any more. */
    static final class Malformed extends IOException {
        private static final long serialVersionUID = 1;

        Malformed(String message) {
            super(message);
        }
    }

    /** Tells a client that asked first that its body is welcome. */
    interface Continue {
        void send() throws IOException;
    }

    private final InputStream in;
    private final Continue goOn;
    private int headBytes;

    RequestReader(InputStream in, Continue goOn) {
        this.in = in;
        this.goOn = goOn;
    }

    /** The next request, or empty when the client has closed the connection in between. */
    Optional<Request> read() throws IOException {
        headBytes = 0;
        String first = line();
        if (first == null) {
            return Optional.empty();
        }
        if (first.isEmpty()) {
            first = line();
        }
        String[] words = first == null ? new String[0] : first.split(" ", -1);
        if (words.length != 3 || !words[0].matches("[A-Z]+") || !words[1].startsWith("/")) {
            throw new Malformed("not a request line");
        }
        boolean latest = words[2].equals("HTTP/1.1");
        if (!latest && !words[2].equals("HTTP/1.0")) {
            throw new Malformed("not a version that is spoken here: " + words[2]);
        }
        Map<String, List<String>> headers = headers();
        String connection =
                String.join(",", headers.getOrDefault("connection", List.of())).toLowerCase(Locale.ROOT);
        boolean keepAlive = latest ? !connection.contains("close") : connection.contains("keep-alive");
        int query = words[1].indexOf('?');
        String path = query < 0 ? words[1] : words[1].substring(0, query);
        return Optional.of(new Request(words[0], path, headers, body(headers), keepAlive));
    }

    private Map<String, List<String>> headers() throws IOException {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String line = required(); !line.isEmpty(); line = required()) {
            int colon = line.indexOf(':');
            if (colon < 1 || !line.substring(0, colon).matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) {
                throw new Malformed("not a header");
            }
            headers.computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), _ -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        return headers;
    }

    private Body body(Map<String, List<String>> headers) throws IOException {
        List<String> encodings = headers.getOrDefault("transfer-encoding", List.of());
        List<String> lengths = headers.getOrDefault("content-length", List.of());
        if (encodings.isEmpty() && lengths.isEmpty()) {
            return Body.EMPTY;
        }
        if ((!encodings.isEmpty() && !lengths.isEmpty()) || lengths.size() > 1) {
            throw new Malformed("two lengths for one body");
        }
        if (!encodings.isEmpty() && !encodings.equals(List.of("chunked"))) {
            throw new Malformed("a transfer encoding that is not spoken here: " + encodings);
        }
        long length = encodings.isEmpty() ? number(lengths.getFirst(), 10) : 0;
        if (headers.getOrDefault("expect", List.of()).contains("100-continue")) {
            goOn.send();
        }
        return new Body(encodings.isEmpty() ? exactly(length) : chunks());
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (true) {
            headBytes = 0;
            String line = required();
            int extension = line.indexOf(';');
            long size =
                    number(extension < 0 ? line : line.substring(0, extension).strip(), 16);
            if (size == 0) {
                break;
            }
            if (all.size() + size > MAX_BODY_BYTES) {
                throw new Malformed("body too large");
            }
            all.writeBytes(exactly(size));
            if (!required().isEmpty()) {
                throw new Malformed("a chunk that does not end where it should");
            }
        }
        headers();
        return all.toByteArray();
    }

    private byte[] exactly(long length) throws IOException {
        byte[] bytes = in.readNBytes((int) length);
        if (bytes.length < length) {
            throw new EOFException("the client left in the middle of a body");
        }
        return bytes;
    }

    private static long number(String text, int radix) throws Malformed {
        if (!text.matches(radix == 10 ? "[0-9]{1,18}" : "[0-9A-Fa-f]{1,15}")) {
            throw new Malformed("not a length: " + text);
        }
        long value = Long.parseLong(text, radix);
        if (value > MAX_BODY_BYTES) {
            throw new Malformed("body too large");
        }
        return value;
    }

    private String required() throws IOException {
        String line = line();
        if (line == null) {
            throw new EOFException("the client left in the middle of a request");
        }
        return line;
    }

    /** A line without its end, or null at the end of the stream; a lone LF ends a line too. */
    private @Nullable String line() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                String text = bytes.toString(StandardCharsets.ISO_8859_1);
                return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
            }
            if (++headBytes > MAX_HEAD_BYTES) {
                throw new Malformed("head too large");
            }
            bytes.write(b);
        }
        if (bytes.size() > 0) {
            throw new EOFException("the client left in the middle of a line");
        }
        return null;
    }
}
