package dev.plainsail.e2e.certificates;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * An ext_proc client as Envoy is one: gRPC over TLS, many streams on a connection, whatever certificate is shown. Messages are written
 * byte for byte, so that a thousand streams cost the machine little.
 */
public final class PickerStreams implements AutoCloseable {
    private static final MethodDescriptor<byte[], byte[]> PROCESS = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName("envoy.service.ext_proc.v3.ExternalProcessor/Process")
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Bytes())
            .build();
    private static final byte[] HEADERS = headers();
    private static final byte[] BODY =
            field(4, field(1, utf8("{\"model\":\"m\",\"prompt\":\"hello\"}")), new byte[] {2 << 3, 1});

    private final ManagedChannel channel;

    /** @param seen gets the serial number of each certificate that a handshake met */
    public PickerStreams(int port, Set<Long> seen) {
        channel = NettyChannelBuilder.forAddress(
                        "127.0.0.1",
                        port,
                        TlsChannelCredentials.newBuilder()
                                .trustManager(new Recorder(seen))
                                .build())
                .build();
    }

    /** What came back on one stream: all messages as text, byte by byte. */
    public record Answer(Status status, String messages) {
        public boolean isPicked() {
            return status.isOk() && messages.contains("x-gateway-destination-endpoint");
        }
    }

    /** One request for the model {@code m}; never fails. */
    public CompletableFuture<Answer> pick() {
        ClientCall<byte[], byte[]> call = channel.newCall(PROCESS, CallOptions.DEFAULT);
        CompletableFuture<Answer> end = new CompletableFuture<>();
        StringBuilder messages = new StringBuilder();
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] message) {
                        messages.append(new String(message, StandardCharsets.ISO_8859_1));
                        call.request(1);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        end.complete(new Answer(status, messages.toString()));
                    }
                },
                new Metadata());
        call.request(1);
        call.sendMessage(HEADERS);
        call.sendMessage(BODY);
        call.halfClose();
        return end;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    /** ProcessingRequest{request_headers, protocol_config{FULL_DUPLEX_STREAMED, NONE}}. */
    private static byte[] headers() {
        String[][] all = {
            {":method", "POST"}, {":path", "/v1/completions"}, {":authority", "a"}, {"content-type", "application/json"}
        };
        byte[] map = new byte[0];
        for (String[] each : all) {
            map = join(map, field(1, field(1, utf8(each[0])), field(3, utf8(each[1]))));
        }
        return join(field(2, field(1, map)), field(11, new byte[] {1 << 3, 4}));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A length-delimited field; our contents are shorter than 16 KiB. */
    private static byte[] field(int number, byte[]... parts) {
        byte[] content = join(parts);
        int tag = (number << 3) | 2;
        byte[] head = content.length < 128
                ? new byte[] {(byte) tag, (byte) content.length}
                : new byte[] {(byte) tag, (byte) ((content.length & 127) | 128), (byte) (content.length >> 7)};
        return join(head, content);
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Trusts, as the shipped Envoy does, and remembers. */
    private static final class Recorder extends X509ExtendedTrustManager {
        private final Set<Long> seen;

        Recorder(Set<Long> seen) {
            this.seen = seen;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
            seen.add(chain[0].getSerialNumber().longValue());
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket) {
            throw new UnsupportedOperationException("gRPC uses engines");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            throw new UnsupportedOperationException("gRPC uses engines");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket) {
            throw new UnsupportedOperationException("we are the client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine) {
            throw new UnsupportedOperationException("we are the client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
            throw new UnsupportedOperationException("we are the client");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
