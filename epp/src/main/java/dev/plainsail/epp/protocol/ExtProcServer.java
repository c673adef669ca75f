package dev.plainsail.epp.protocol;

import dev.plainsail.epp.routing.Outcomes;
import dev.plainsail.epp.routing.Router;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The port that the proxy talks to: external processing, access log and health, on event loops of its own.
 *
 * <p>The services are registered below gRPC's stubs, with marshallers of ours, so that a body is copied once in and once
 * out and nothing is parsed that is not used. Calls run on the loops themselves; nothing there may block.
 */
public final class ExtProcServer {
    public static final String EXT_PROC_SERVICE = "envoy.service.ext_proc.v3.ExternalProcessor";
    public static final String ACCESS_LOG_SERVICE = "envoy.service.accesslog.v3.AccessLogService";

    /** Streams of one connection; a proxy with more opens another connection, which spreads them over the loops. */
    private static final int STREAMS_PER_CONNECTION = 256;

    private static final int WINDOW_BYTES = 256 * 1024;
    private static final int HEADER_BYTES = 64 * 1024;
    private static final long MESSAGE_SLACK_BYTES = 1 << 20;

    private final ExtProc shared;
    private final EventLoops loops;
    private final Server server;

    /** @param health answers health checks on the same port */
    public ExtProcServer(
            InetSocketAddress address,
            ServerCredentials credentials,
            int loopCount,
            Router router,
            Outcomes outcomes,
            StreamEvents events,
            ProtocolSettings settings,
            long firstTicket,
            LongSupplier nanoTime,
            BindableService health) {
        this.shared = new ExtProc(router, outcomes, events, settings, firstTicket, nanoTime);
        this.loops = new EventLoops(loopCount, settings, nanoTime);
        long messageBytes = Math.min(Integer.MAX_VALUE, settings.maxBodyBytes() + MESSAGE_SLACK_BYTES);
        this.server = NettyServerBuilder.forAddress(address, credentials)
                .channelType(loops.channelType())
                .bossEventLoopGroup(loops.boss())
                .workerEventLoopGroup(loops.workers())
                .directExecutor()
                .flowControlWindow(WINDOW_BYTES)
                .maxConcurrentCallsPerConnection(STREAMS_PER_CONNECTION)
                .maxInboundMessageSize((int) messageBytes)
                .maxInboundMetadataSize(HEADER_BYTES)
                .permitKeepAliveTime(100, TimeUnit.MILLISECONDS) // a proxy that pings more often is told to go away
                .permitKeepAliveWithoutCalls(true)
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .addService(process())
                .addService(accessLog())
                .addService(health)
                .build();
    }

    private ServerServiceDefinition process() {
        MethodDescriptor<FromProxy, Answer> method = MethodDescriptor.<FromProxy, Answer>newBuilder()
                .setType(MethodType.BIDI_STREAMING)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(EXT_PROC_SERVICE, "Process"))
                .setRequestMarshaller(new Incoming<>() {
                    @Override
                    public FromProxy parse(InputStream in) {
                        try {
                            return loops.current().state.decoder.decode(in);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    }
                })
                .setResponseMarshaller(new Outgoing())
                .build();
        return ServerServiceDefinition.builder(EXT_PROC_SERVICE)
                .addMethod(method, (call, headers) -> new ExtProcCall(shared, loops.current(), call).start())
                .build();
    }

    private ServerServiceDefinition accessLog() {
        MethodDescriptor<List<AccessLogEntry>, Answer> method =
                MethodDescriptor.<List<AccessLogEntry>, Answer>newBuilder()
                        .setType(MethodType.CLIENT_STREAMING)
                        .setFullMethodName(
                                MethodDescriptor.generateFullMethodName(ACCESS_LOG_SERVICE, "StreamAccessLogs"))
                        .setRequestMarshaller(new Incoming<>() {
                            @Override
                            public List<AccessLogEntry> parse(InputStream in) {
                                return logEntries(in);
                            }
                        })
                        .setResponseMarshaller(new Outgoing())
                        .build();
        return ServerServiceDefinition.builder(ACCESS_LOG_SERVICE)
                .addMethod(method, (call, headers) -> new AccessLogCall(call, shared.outcomes, shared.events).start())
                .build();
    }

    private List<AccessLogEntry> logEntries(InputStream in) {
        try {
            return AccessLogDecoder.decode(in.readAllBytes());
        } catch (WireReader.Malformed e) {
            shared.events.violated("an access log message cannot be decoded: " + e.getMessage());
            return List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void start() throws IOException {
        server.start();
    }

    public int port() {
        return server.getPort();
    }

    /** Bytes of request bodies that are held at this moment. */
    public long heldBytes() {
        return shared.budget.used();
    }

    /**
     * Stops taking streams and lets the running ones end: those that only wait for the headers of an answer are closed
     * at once, because the proxy goes on without us; those whose body passes through us end when it does.
     *
     * @return whether all ended within the time
     */
    public boolean drain(long millis) throws InterruptedException {
        server.shutdown();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        boolean ended = false;
        while (!ended && System.nanoTime() < end) {
            for (EventLoops.Loop loop : loops.loops()) {
                loop.executor.execute(() -> loop.calls.all().forEach(ExtProcCall::drain));
            }
            ended = server.awaitTermination(50, TimeUnit.MILLISECONDS);
        }
        server.shutdownNow();
        loops.shutdown();
        return ended;
    }

    /** A marshaller that only reads. */
    private abstract static class Incoming<T> implements Marshaller<T> {
        @Override
        public final InputStream stream(T value) {
            throw new UnsupportedOperationException("the picker does not send " + value.getClass());
        }
    }

    /** A marshaller that only writes: an answer is its own stream. */
    private static final class Outgoing implements Marshaller<Answer> {
        @Override
        public InputStream stream(Answer value) {
            return value;
        }

        @Override
        public Answer parse(InputStream stream) {
            throw new UnsupportedOperationException("the picker does not read answers");
        }
    }
}
