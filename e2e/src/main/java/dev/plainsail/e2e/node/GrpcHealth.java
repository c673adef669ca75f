package dev.plainsail.e2e.node;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one gRPC call that a kubelet makes, {@code grpc.health.v1.Health/Check}, as the few HTTP/2 frames it is, without TLS: so
 * that this module needs no gRPC library. It reads the answer's message and nothing else.
 */
final class GrpcHealth {

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GO_AWAY = 7;
    private static final int END_STREAM = 1;
    private static final int ACK = 1;
    private static final int END_HEADERS = 4;
    private static final int MOST_FRAME_BYTES = 1 << 20;

    private GrpcHealth() {}

    /** Why it is not serving; empty when it is. */
    static Optional<String> check(String host, int port, @Nullable String service, Duration timeout)
            throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), (int) timeout.toMillis());
            socket.setSoTimeout((int) timeout.toMillis());
            OutputStream out = socket.getOutputStream();
            out.write(PREFACE);
            out.write(frame(SETTINGS, 0, 0, new byte[0]));
            out.write(frame(HEADERS, END_HEADERS, 1, headers(host + ":" + port)));
            out.write(frame(DATA, END_STREAM, 1, request(service == null ? "" : service)));
            out.flush();
            return answer(new DataInputStream(socket.getInputStream()), out);
        }
    }

    private static Optional<String> answer(DataInputStream in, OutputStream out) throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            if (length > MOST_FRAME_BYTES) {
                throw new IOException("the answer is not HTTP/2");
            }
            byte[] payload = in.readNBytes(length);
            if (type == SETTINGS && (flags & ACK) == 0) {
                out.write(frame(SETTINGS, ACK, 0, new byte[0]));
            } else if (type == PING && (flags & ACK) == 0) {
                out.write(frame(PING, ACK, 0, payload));
            } else if (type == RST_STREAM || type == GO_AWAY) {
                return Optional.of("the health call was refused");
            } else if (type == DATA && stream == 1) {
                message.write(payload);
            }
            if (stream == 1 && (flags & END_STREAM) != 0 && (type == DATA || type == HEADERS)) {
                return status(message.toByteArray());
            }
        }
    }

    /** Five bytes of gRPC's own framing, then field 1 of the message: 1 is SERVING; a missing field is 0, UNKNOWN. */
    private static Optional<String> status(byte[] message) {
        boolean serving = message.length >= 7 && message[5] == 0x08 && message[6] == 1;
        return serving ? Optional.empty() : Optional.of("the service is not serving");
    }

    private static byte[] request(String service) {
        byte[] name = service.getBytes(StandardCharsets.UTF_8);
        if (name.length > 100) {
            throw new IllegalArgumentException("service name over 100 bytes: " + service);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int length = name.length == 0 ? 0 : 2 + name.length;
        out.writeBytes(new byte[] {0, 0, 0, 0, (byte) length});
        if (length > 0) {
            out.write(0x0a);
            out.write(name.length);
            out.writeBytes(name);
        }
        return out.toByteArray();
    }

    /** Header fields as literals that are never indexed, with no compression: valid HPACK that needs no table. */
    private static byte[] headers(String authority) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        literal(out, ":method", "POST");
        literal(out, ":scheme", "http");
        literal(out, ":path", "/grpc.health.v1.Health/Check");
        literal(out, ":authority", authority);
        literal(out, "content-type", "application/grpc");
        literal(out, "te", "trailers");
        return out.toByteArray();
    }

    private static void literal(ByteArrayOutputStream out, String name, String value) {
        out.write(0x10);
        for (String text : new String[] {name, value}) {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            out.write(bytes.length);
            out.writeBytes(bytes);
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int length = payload.length;
        out.writeBytes(
                new byte[] {(byte) (length >> 16), (byte) (length >> 8), (byte) length, (byte) type, (byte) flags});
        out.writeBytes(new byte[] {0, 0, 0, (byte) stream});
        out.writeBytes(payload);
        return out.toByteArray();
    }
}
