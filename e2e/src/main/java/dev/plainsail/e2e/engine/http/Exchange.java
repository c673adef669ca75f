package dev.plainsail.e2e.engine.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;

/**
 * The answer to one request: either {@link #respond} once, or {@link #begin}, any number of {@link #write}, {@link #end}, or
 * {@link #reset}. A write to a client that has gone throws {@link IOException}. All but {@link #onDisconnect} belong to the answering
 * thread.
 */
public final class Exchange {
    private static final Map<Integer, String> REASONS = Map.of(
            200,
            "OK",
            400,
            "Bad Request",
            401,
            "Unauthorized",
            404,
            "Not Found",
            405,
            "Method Not Allowed",
            422,
            "Unprocessable Content",
            429,
            "Too Many Requests",
            500,
            "Internal Server Error",
            503,
            "Service Unavailable");

    private final Socket socket;
    private final OutputStream out;
    private final boolean keepAlive;
    private boolean begun;
    private boolean ended;
    private boolean gone;
    private Runnable onDisconnect = () -> {};

    Exchange(Socket socket, OutputStream out, boolean keepAlive) {
        this.socket = socket;
        this.out = out;
        this.keepAlive = keepAlive;
    }

    /** What to do, once, when the client goes away before the answer is complete; at once if it has gone already. */
    public void onDisconnect(Runnable action) {
        synchronized (this) {
            onDisconnect = action;
            if (!gone) {
                return;
            }
        }
        action.run();
    }

    void disconnected() {
        Runnable action;
        synchronized (this) {
            if (gone) {
                return;
            }
            gone = true;
            action = onDisconnect;
        }
        action.run();
    }

    /** The whole answer. */
    public void respond(int status, Map<String, String> headers, byte[] body) throws IOException {
        begun = true;
        out.write(head(status, headers, "content-length: " + body.length));
        out.write(body);
        out.flush();
        ended = true;
    }

    /** Sends status and headers of an answer whose length is not known yet. */
    public void begin(int status, Map<String, String> headers) throws IOException {
        begun = true;
        out.write(head(status, headers, "transfer-encoding: chunked"));
        out.flush();
    }

    /** Sends one piece. */
    public void write(byte[] piece) throws IOException {
        if (piece.length > 0) {
            out.write((Integer.toHexString(piece.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.write(piece);
            out.write(CRLF);
            out.flush();
        }
    }

    public void end() throws IOException {
        out.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        out.flush();
        ended = true;
    }

    /** Breaks the connection so that the client sees a TCP reset. */
    public void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    boolean begun() {
        return begun;
    }

    /** Whether the connection can carry another request. */
    boolean reusable() {
        return ended && keepAlive;
    }

    private static final byte[] CRLF = {'\r', '\n'};

    private byte[] head(int status, Map<String, String> headers, String framing) {
        StringBuilder head = new StringBuilder(256);
        head.append("HTTP/1.1 ")
                .append(status)
                .append(' ')
                .append(REASONS.getOrDefault(status, "Unknown"))
                .append("\r\n");
        head.append("date: ")
                .append(DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)))
                .append("\r\nserver: uvicorn\r\nvary: Origin\r\n");
        headers.forEach(
                (name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
        head.append(framing).append("\r\n");
        if (!keepAlive) {
            head.append("connection: close\r\n");
        }
        return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }
}
