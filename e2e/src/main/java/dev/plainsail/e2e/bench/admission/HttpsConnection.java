package dev.plainsail.e2e.bench.admission;

import dev.plainsail.e2e.TrustAll;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * One kept connection, HTTP/1.1 over TLS 1.3, as the API server's client of webhooks keeps them. As thin as can be, so that
 * little of what is measured is its own. One thread.
 */
final class HttpsConnection implements AutoCloseable {
    /** Whom we talk to is known: we started it. */
    private static final SSLContext CONTEXT = TrustAll.context("TLSv1.3");

    private final SSLSocket socket;
    private final InputStream in;
    private final OutputStream out;

    HttpsConnection(InetSocketAddress address) throws IOException {
        socket = (SSLSocket) CONTEXT.getSocketFactory().createSocket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
        socket.startHandshake();
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
        out = socket.getOutputStream();
    }

    /** A whole request, headers and all. */
    static byte[] request(String path, byte[] body) {
        byte[] head = ("POST " + path + " HTTP/1.1\r\nHost: plainsail-webhook.plainsail-system.svc:443\r\n"
                        + "User-Agent: kube-apiserver-admission\r\nContent-Length: " + body.length
                        + "\r\nAccept: application/json, */*\r\nContent-Type: application/json\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        byte[] whole = new byte[head.length + body.length];
        System.arraycopy(head, 0, whole, 0, head.length);
        System.arraycopy(body, 0, whole, head.length, body.length);
        return whole;
    }

    /** Sends it and reads the whole answer, which must be 200. */
    byte[] exchange(byte[] request) throws IOException {
        out.write(request);
        String status = line();
        int length = -1;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(
                        header.substring("content-length:".length()).strip());
            }
        }
        byte[] body = in.readNBytes(Math.max(0, length));
        if (!status.startsWith("HTTP/1.1 200") || length < 0) {
            throw new IOException(status + ": " + new String(body, StandardCharsets.UTF_8));
        }
        return body;
    }

    private String line() throws IOException {
        StringBuilder text = new StringBuilder(64);
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the webhook closed the connection");
            }
            if (next != '\r') {
                text.append((char) next);
            }
        }
        return text.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
