package dev.plainsail.epp.protocol;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Struct;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.Value;
import dev.plainsail.epp.observability.Health;
import dev.plainsail.epp.routing.InFlight;
import dev.plainsail.epp.routing.Outcome;
import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.routing.Verdict;
import dev.plainsail.epp.scheduling.InferenceRequest;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.data.accesslog.v3.AccessLogCommon;
import io.envoyproxy.envoy.data.accesslog.v3.HTTPAccessLogEntry;
import io.envoyproxy.envoy.data.accesslog.v3.HTTPResponseProperties;
import io.envoyproxy.envoy.data.accesslog.v3.ResponseFlags;
import io.envoyproxy.envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode;
import io.envoyproxy.envoy.service.accesslog.v3.AccessLogServiceGrpc;
import io.envoyproxy.envoy.service.accesslog.v3.StreamAccessLogsMessage;
import io.envoyproxy.envoy.service.accesslog.v3.StreamAccessLogsMessage.HTTPAccessLogEntries;
import io.envoyproxy.envoy.service.accesslog.v3.StreamAccessLogsResponse;
import io.envoyproxy.envoy.service.ext_proc.v3.ExternalProcessorGrpc;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingRequest;
import io.envoyproxy.envoy.service.ext_proc.v3.ProcessingResponse;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The server over real connections, with the generated client on the other side. */
final class ExtProcServerTest {
    private final AtomicInteger booked = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final Map<Long, Outcome> outcomes = new ConcurrentHashMap<>();
    private final Health health = new Health();
    private final Counter events = new Counter();
    private volatile boolean broken;
    private ExtProcServer server = newServer();
    private ManagedChannel channel =
            NettyChannelBuilder.forAddress("127.0.0.1", 1).usePlaintext().build();

    @BeforeEach
    void start() throws IOException {
        server.start();
        channel.shutdownNow();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                .usePlaintext()
                .maxInboundMessageSize(64 << 20)
                .build();
    }

    @AfterEach
    void stop() throws InterruptedException {
        channel.shutdownNow();
        server.drain(100);
    }

    private ExtProcServer newServer() {
        return new ExtProcServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                InsecureServerCredentials.create(),
                2,
                this::route,
                outcomes::put,
                events,
                new ProtocolSettings(24 << 20, 256 << 20, Duration.ofSeconds(5), true, true),
                1L << 40,
                System::nanoTime,
                health.service());
    }

    private void route(InferenceRequest request, Consumer<Verdict> verdict) {
        if (broken) {
            throw new IllegalStateException("a mistake of ours");
        }
        booked.incrementAndGet();
        verdict.accept(new Verdict.Forward(List.of(Script.endpoint(0, "10.0.0.1:8000")), null, new InFlight() {
            @Override
            public void firstToken() {}

            @Override
            public void ended() {
                ended.incrementAndGet();
            }
        }));
    }

    @Test
    void bodiesOfAnySizeAndCutComeBackByteForByte() throws InterruptedException {
        int[][] sizesAndPieces = {
            {0, 1}, {1, 1}, {5000, 1}, {65_536, 65_536}, {1 << 20, 32_768}, {5 << 20, 5 << 20}, {20 << 20, 1 << 20}
        };
        for (int[] each : sizesAndPieces) {
            byte[] body = new byte[each[0]];
            new SplittableRandom(each[0]).nextBytes(body);
            Talk talk = new Talk(channel);
            talk.request(body, each[1]);
            assertThat(talk.requestBack())
                    .as("%d bytes in pieces of %d", each[0], each[1])
                    .isEqualTo(body);
        }
        await().untilAsserted(() -> assertThat(server.heldBytes()).isZero());
    }

    @Test
    void largeResponsesComeBackByteForByteHoweverFastTheyCome() throws InterruptedException {
        byte[] body = new byte[6 << 20];
        new SplittableRandom(6).nextBytes(body);
        for (int pieces : new int[] {100, 60_000, 1 << 20, 6 << 20}) {
            int length = pieces == 100 ? 200_000 : body.length;
            Talk talk = new Talk(channel);
            talk.out()
                    .onNext(Messages.requestHeaders(
                            BodySendMode.FULL_DUPLEX_STREAMED, BodySendMode.FULL_DUPLEX_STREAMED, true, ":path", "/x"));
            talk.out().onNext(Messages.responseHeaders("200", false));
            for (int at = 0; at < length; at += pieces) {
                talk.out()
                        .onNext(Messages.responseBody(
                                ByteString.copyFrom(body, at, Math.min(pieces, length - at)), at + pieces >= length));
            }
            assertThat(((ProcessingResponse) talk.next()).hasRequestHeaders()).isTrue();
            assertThat(((ProcessingResponse) talk.next()).hasResponseHeaders()).isTrue();
            ByteArrayOutputStream back = new ByteArrayOutputStream();
            boolean end = false;
            while (!end) {
                var piece = ((ProcessingResponse) talk.next())
                        .getResponseBody()
                        .getResponse()
                        .getBodyMutation()
                        .getStreamedResponse();
                back.writeBytes(piece.getBody().toByteArray());
                end = piece.getEndOfStream();
            }
            assertThat(Arrays.equals(back.toByteArray(), Arrays.copyOf(body, length)))
                    .as("pieces of %d", pieces)
                    .isTrue();
            talk.out().onError(Status.CANCELLED.asException());
        }
        await().untilAsserted(() -> assertThat(ended.get()).isEqualTo(booked.get()));
    }

    @Test
    void epp31_aMessageAboveGrpcsOwnLimitIsRefusedByUsWithAnAnswer() throws InterruptedException {
        Talk talk = new Talk(channel);
        talk.request(new byte[(24 << 20) + 1], 24 << 20);
        ProcessingResponse answer = (ProcessingResponse) talk.next();
        assertThat(answer.getImmediateResponse().getStatus().getCodeValue()).isEqualTo(413);
        assertThat(talk.next()).isEqualTo("completed");
    }

    @Test
    void manyStreamsAtOnceDoNotMixAndNothingIsLeftBehind() throws InterruptedException {
        List<Talk> talks = new ArrayList<>();
        List<byte[]> bodies = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            byte[] body = ("{\"model\":\"m" + i + "\",\"prompt\":\"" + "p".repeat(i * 37) + "\"}")
                    .getBytes(StandardCharsets.UTF_8);
            Talk talk = new Talk(channel);
            talk.request(body, 1000);
            talks.add(talk);
            bodies.add(body);
        }
        for (int i = 0; i < talks.size(); i++) {
            assertThat(talks.get(i).requestBack()).isEqualTo(bodies.get(i));
            talks.get(i).out().onError(Status.CANCELLED.asException());
        }
        await().untilAsserted(() -> assertThat(events.open).hasValue(0));
        assertThat(booked).hasValue(500);
        await().untilAsserted(() -> assertThat(server.heldBytes()).isZero());
    }

    @Test
    void cancellingAtAnyPointLeavesNothingBehind() throws InterruptedException {
        byte[] body = new byte[300_000];
        for (int messages = 0; messages < 14; messages++) {
            Talk talk = new Talk(channel);
            List<ProcessingRequest> script = new ArrayList<>();
            script.add(Messages.requestHeaders(
                    BodySendMode.FULL_DUPLEX_STREAMED, BodySendMode.FULL_DUPLEX_STREAMED, false, ":path", "/x"));
            for (int i = 0; i < 10; i++) {
                script.add(Messages.requestBody(ByteString.copyFrom(body, i * 30_000, 30_000), i == 9));
            }
            script.add(Messages.responseHeaders("200", false));
            script.add(Messages.responseBody("data", false));
            script.subList(0, Math.min(messages, script.size())).forEach(talk.out()::onNext);
            if (messages > 11) {
                talk.requestBack();
            }
            talk.out().onError(Status.CANCELLED.asException());
        }
        await().untilAsserted(() -> assertThat(events.open).hasValue(0));
        await().untilAsserted(() -> assertThat(ended.get()).isEqualTo(booked.get()));
        await().untilAsserted(() -> assertThat(server.heldBytes()).isZero());
    }

    @Test
    void aMistakeOfOursFailsOneStreamOnly() throws InterruptedException {
        Talk before = new Talk(channel);
        before.out().onNext(Messages.chatHeaders(BodySendMode.FULL_DUPLEX_STREAMED, BodySendMode.NONE));
        broken = true;
        Talk failing = new Talk(channel);
        failing.request(new byte[10], 10);
        Object problem = failing.next();
        assertThat(problem).isInstanceOf(StatusRuntimeException.class);
        assertThat(Status.fromThrowable((Throwable) problem).getCode()).isEqualTo(Status.Code.INTERNAL);
        await().untilAsserted(() -> assertThat(events.failures).hasValue(1));
        broken = false;
        before.out().onNext(Messages.requestBody("{\"model\":\"m\"}", true));
        assertThat(before.requestBack()).hasSize(13);
    }

    @Test
    void bytesThatAreNoMessageEndTheStreamAsAViolation() throws InterruptedException {
        Talk talk = new Talk(channel);
        talk.out().onNext(Messages.requestBody("x", false));
        Object problem = talk.next();
        assertThat(Status.fromThrowable((Throwable) problem).getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    }

    @Test
    void epp55_largeMetadataOfTheCallIsTaken() throws InterruptedException {
        io.grpc.Metadata metadata = new io.grpc.Metadata();
        metadata.put(io.grpc.Metadata.Key.of("baggage", io.grpc.Metadata.ASCII_STRING_MARSHALLER), "b".repeat(16_000));
        BlockingQueue<Object> got = new LinkedBlockingQueue<>();
        StreamObserver<ProcessingRequest> out = ExternalProcessorGrpc.newStub(channel)
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata))
                .process(new StreamObserver<>() {
                    @Override
                    public void onNext(ProcessingResponse answer) {
                        got.add(answer);
                    }

                    @Override
                    public void onError(Throwable problem) {
                        got.add(problem);
                    }

                    @Override
                    public void onCompleted() {}
                });
        String[] headers = new String[400];
        for (int i = 0; i < 200; i++) {
            headers[i * 2] = "x-header-" + i;
            headers[i * 2 + 1] = "v".repeat(300);
        }
        out.onNext(Messages.requestHeaders(BodySendMode.NONE, BodySendMode.NONE, true, headers));
        assertThat(got.poll(60, TimeUnit.SECONDS)).isInstanceOf(ProcessingResponse.class);
    }

    @Test
    void theAccessLogIsJoinedByTicket() {
        HTTPAccessLogEntry mine = HTTPAccessLogEntry.newBuilder()
                .setCommonProperties(AccessLogCommon.newBuilder()
                        .setUpstreamRemoteAddress(Address.newBuilder()
                                .setSocketAddress(SocketAddress.newBuilder()
                                        .setAddress("10.0.0.2")
                                        .setPortValue(8000)))
                        .setTimeToLastDownstreamTxByte(com.google.protobuf.Duration.newBuilder()
                                .setSeconds(2)
                                .setNanos(5))
                        .setResponseFlags(ResponseFlags.newBuilder().setDownstreamConnectionTermination(true))
                        .setMetadata(Metadata.newBuilder()
                                .putFilterMetadata(
                                        "dev.plainsail",
                                        Struct.newBuilder()
                                                .putFields(
                                                        "ticket",
                                                        Value.newBuilder()
                                                                .setNumberValue(77)
                                                                .build())
                                                .build())))
                .setResponse(HTTPResponseProperties.newBuilder()
                        .setResponseCode(UInt32Value.of(200))
                        .setResponseBodyBytes(1234))
                .build();
        StreamObserver<StreamAccessLogsMessage> log = AccessLogServiceGrpc.newStub(channel)
                .streamAccessLogs(new StreamObserver<>() {
                    @Override
                    public void onNext(StreamAccessLogsResponse answer) {}

                    @Override
                    public void onError(Throwable problem) {}

                    @Override
                    public void onCompleted() {}
                });
        log.onNext(StreamAccessLogsMessage.newBuilder()
                .setIdentifier(StreamAccessLogsMessage.Identifier.newBuilder().setLogName("plainsail"))
                .setHttpLogs(HTTPAccessLogEntries.newBuilder()
                        .addLogEntry(HTTPAccessLogEntry.getDefaultInstance())
                        .addLogEntry(mine))
                .build());
        await().untilAsserted(() -> assertThat(outcomes)
                .containsExactly(Map.entry(77L, new Outcome(200, "10.0.0.2:8000", 2_000_000_005L, 1234, true, false))));
    }

    /** CASES MAN-09. */
    @Test
    void healthKnowsFiveNamesAndNoOther() {
        HealthGrpc.HealthBlockingStub stub = HealthGrpc.newBlockingStub(channel);
        assertThat(check(stub, "liveness")).isEqualTo(ServingStatus.SERVING);
        assertThat(check(stub, "readiness")).isEqualTo(ServingStatus.NOT_SERVING);
        health.set(true);
        for (String name :
                List.of("", "liveness", "readiness", "inference-extension", ExtProcServer.EXT_PROC_SERVICE)) {
            assertThat(check(stub, name)).as(name).isEqualTo(ServingStatus.SERVING);
        }
        assertThatThrownBy(() -> check(stub, "no-such-service"))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
    }

    private static ServingStatus check(HealthGrpc.HealthBlockingStub stub, String name) {
        return stub.check(HealthCheckRequest.newBuilder().setService(name).build())
                .getStatus();
    }

    private static final class Counter implements StreamEvents {
        final AtomicInteger open = new AtomicInteger();
        final AtomicInteger failures = new AtomicInteger();

        @Override
        public void opened() {
            open.incrementAndGet();
        }

        @Override
        public void refused(Reason reason, @Nullable InferenceRequest request) {}

        @Override
        public void forwarded(InferenceRequest request, @Nullable String target, long heldNanos) {}

        @Override
        public void failed(Throwable cause) {
            failures.incrementAndGet();
        }

        @Override
        public void violated(String problem) {}

        @Override
        public void closed() {
            open.decrementAndGet();
        }
    }
}
