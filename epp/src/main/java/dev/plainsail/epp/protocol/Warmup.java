package dev.plainsail.epp.protocol;

import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.routing.InFlight;
import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.routing.Verdict;
import dev.plainsail.epp.scheduling.InferenceRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Streams that the picker sends to itself before it says that it is ready, over a real connection to a server of its own
 * on loopback. A Java program is ten to twenty times slower in its first thousand requests; nobody else should wait for
 * them. Nothing is booked: the verdicts are made up.
 */
public final class Warmup {
    private static final int IN_FLIGHT = 16;
    private static final ProtocolSettings SETTINGS =
            new ProtocolSettings(1 << 20, 64 << 20, Duration.ofSeconds(10), true, false);

    private final List<List<byte[]>> talks = new ArrayList<>();
    private final Endpoint endpoint;

    private Warmup(InetAddress loopback) {
        endpoint = new Endpoint(0, "warm-up", "warm-up", new InetSocketAddress(loopback, 1), Map.of());
        String plain = "word ".repeat(400);
        String escaped = "gr\\u00fc\\u00dfe \\ud83d\\ude00 \\\"quoted\\\"\\n".repeat(30);
        for (String text : List.of(plain, escaped, "short", plain.repeat(20))) {
            talks.add(withResponse(request(4, chat(text)), 20));
            talks.add(withResponse(request(0, chat(text)), 1));
        }
        talks.add(request(0, "{\"model\":"));
        talks.add(request(0, "{\"model\":\"refused\",\"prompt\":[1,2,3]}"));
    }

    /** Runs until enough streams are through or the time is up. @return how many there were */
    public static int run(int streams, Duration limit) throws IOException, InterruptedException {
        return new Warmup(InetAddress.getLoopbackAddress()).play(streams, limit);
    }

    private int play(int streams, Duration limit) throws IOException, InterruptedException {
        ExtProcServer server = new ExtProcServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                InsecureServerCredentials.create(),
                1,
                (request, verdict) -> verdict.accept(verdict(request)),
                (ticket, outcome) -> {},
                new Silent(),
                SETTINGS,
                0,
                System::nanoTime,
                new HealthStatusManager().getHealthService());
        server.start();
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
                .usePlaintext()
                .directExecutor()
                .build();
        long end = System.nanoTime() + limit.toNanos();
        Semaphore slots = new Semaphore(IN_FLIGHT);
        int started = 0;
        try {
            while (started < streams && System.nanoTime() < end) {
                if (slots.tryAcquire(100, TimeUnit.MILLISECONDS)) {
                    start(channel, talks.get(started++ % talks.size()), slots);
                }
            }
        } finally {
            channel.shutdownNow();
            server.drain(0);
        }
        return started;
    }

    private Verdict verdict(InferenceRequest request) {
        return "refused".equals(request.model())
                ? new Verdict.Reject(Reason.NO_ENDPOINT, "warm-up", 1)
                : new Verdict.Forward(List.of(endpoint), null, new InFlight() {
                    @Override
                    public void firstToken() {}

                    @Override
                    public void ended() {}
                });
    }

    private static void start(ManagedChannel channel, List<byte[]> messages, Semaphore slots) {
        ClientCall<byte[], byte[]> call = channel.newCall(METHOD, CallOptions.DEFAULT);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(byte[] message) {
                        if (endsResponse(message)) {
                            call.cancel("enough", null); // as a proxy ends nearly every stream
                        }
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        slots.release();
                    }
                },
                new Metadata());
        call.request(Integer.MAX_VALUE);
        messages.forEach(call::sendMessage);
    }

    /** The answer to a response body that is empty, or whose last field marks the end. */
    private static boolean endsResponse(byte[] message) {
        int last = message.length - 1;
        return message[0] == ((4 << 3) | 2) && (last == 1 || (message[last] == 1 && message[last - 1] == 2 << 3));
    }

    /** @param responseMode 4: the response is echoed; 0: it is not shown, and a message of it is answered emptily */
    private static List<byte[]> request(int responseMode, String body) {
        WireWriter headers = new WireWriter();
        for (String header : List.of(
                ":method=POST",
                ":path=/v1/chat/completions",
                "content-type=application/json",
                "user-agent=warm-up",
                "authorization=Bearer none",
                "x-request-id=00000000-0000-4000-8000-000000000000")) {
            int equals = header.indexOf('=');
            headers.message(
                    1, new WireWriter().text(1, header.substring(0, equals)).text(3, header.substring(equals + 1)));
        }
        WireWriter modes = new WireWriter().varint(1, 4).varint(2, responseMode);
        byte[] first = new WireWriter()
                .message(2, new WireWriter().message(1, headers))
                .message(11, modes)
                .toByteArray();
        return List.of(first, body(4, body, false), body(4, "", true));
    }

    private static List<byte[]> withResponse(List<byte[]> request, int pieces) {
        List<byte[]> messages = new ArrayList<>(request);
        WireWriter status =
                new WireWriter().message(1, new WireWriter().text(1, ":status").text(3, "200"));
        messages.add(
                new WireWriter().message(3, new WireWriter().message(1, status)).toByteArray());
        for (int i = 1; i <= pieces; i++) {
            messages.add(body(5, "data: {\"choices\":[]}\n\n", i == pieces));
        }
        return messages;
    }

    private static byte[] body(int field, String text, boolean end) {
        WireWriter body = new WireWriter().bytes(1, text.getBytes(StandardCharsets.UTF_8));
        if (end) {
            body.varint(2, 1);
        }
        return new WireWriter().message(field, body).toByteArray();
    }

    private static String chat(String text) {
        return "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"" + text
                + "\"}],\"max_tokens\":16}";
    }

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
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
    };

    private static final MethodDescriptor<byte[], byte[]> METHOD = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(ExtProcServer.EXT_PROC_SERVICE, "Process"))
            .setRequestMarshaller(BYTES)
            .setResponseMarshaller(BYTES)
            .build();

    private static final class Silent implements StreamEvents {
        @Override
        public void opened() {}

        @Override
        public void refused(Reason reason, @Nullable InferenceRequest request) {}

        @Override
        public void forwarded(InferenceRequest request, @Nullable String target, long heldNanos) {}

        @Override
        public void failed(Throwable cause) {}

        @Override
        public void violated(String problem) {}

        @Override
        public void closed() {}
    }
}
