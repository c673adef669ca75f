package dev.plainsail.epp.protocol;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The event loops, one a core, and what belongs to each. gRPC does not say on which loop a call runs; since it runs on
 * the loop's own thread (the executor is a direct one), the loop is found by asking each once a thread.
 */
final class EventLoops {
    /** A loop with its state and the calls that are open on it. */
    static final class Loop {
        final EventExecutor executor;
        final LoopState state;
        final Calls calls = new Calls();

        Loop(EventExecutor executor, ProtocolSettings settings, LongSupplier nanoTime) {
            this.executor = executor;
            this.state = new LoopState(settings, nanoTime, this::soon);
        }

        private void soon(Runnable task) {
            var _ = executor.schedule(task, TICK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private static final long TICK_MILLIS = 10;
    private static final ThreadLocal<@Nullable Loop> CURRENT = new ThreadLocal<>();

    private final EventLoopGroup workers;
    private final EventLoopGroup boss;
    private final Class<? extends ServerChannel> channelType;
    private final List<Loop> loops = new ArrayList<>();

    EventLoops(int count, ProtocolSettings settings, LongSupplier nanoTime) {
        boolean epoll = Epoll.isAvailable();
        workers = group(epoll, count);
        boss = group(epoll, 1);
        channelType = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        for (EventExecutor executor : workers) {
            loops.add(new Loop(executor, settings, nanoTime));
        }
    }

    @SuppressWarnings("deprecation") // the constructors that Netty 4.2 prefers are not in the 4.1 that gRPC shades
    private static EventLoopGroup group(boolean epoll, int count) {
        return epoll ? new EpollEventLoopGroup(count) : new NioEventLoopGroup(count);
    }

    EventLoopGroup workers() {
        return workers;
    }

    EventLoopGroup boss() {
        return boss;
    }

    Class<? extends ServerChannel> channelType() {
        return channelType;
    }

    List<Loop> loops() {
        return loops;
    }

    /** The loop whose thread this is. */
    Loop current() {
        Loop known = CURRENT.get();
        if (known != null) {
            return known;
        }
        for (Loop loop : loops) {
            if (loop.executor.inEventLoop()) {
                CURRENT.set(loop);
                return loop;
            }
        }
        throw new IllegalStateException("not on an event loop: " + Thread.currentThread());
    }

    void shutdown() {
        var _ = workers.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        var _ = boss.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
