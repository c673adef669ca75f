package dev.plainsail.epp.protocol;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears of connections that came to nothing by a mistake that somebody can mend. gRPC tells them only its own log, with a
 * stack trace each; here they are counted, and each reason is said once a minute in one sentence. One for the whole process, because that log is.
 */
public final class ConnectionFailures extends Handler {
    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(ConnectionFailures.class);
    /** Held, since loggers that nobody holds are forgotten with their handlers. */
    private static final List<Logger> GRPC = List.of(
            Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerTransport.connections"),
            Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.WriteBufferingAndExceptionHandler"));

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Consumer<ConnectionFailure> counter;
    private final LongSupplier nanoTime;
    private final Map<ConnectionFailure, Long> saidNanos = new EnumMap<>(ConnectionFailure.class);

    private ConnectionFailures(Consumer<ConnectionFailure> counter, LongSupplier nanoTime) {
        this.counter = counter;
        this.nanoTime = nanoTime;
    }

    /** @param counter told of each on an event loop: must not block */
    public static ConnectionFailures listen(Consumer<ConnectionFailure> counter, LongSupplier nanoTime) {
        ConnectionFailures failures = new ConnectionFailures(counter, nanoTime);
        GRPC.forEach(logger -> {
            logger.setUseParentHandlers(false);
            logger.setLevel(Level.FINE);
            logger.addHandler(failures);
        });
        return failures;
    }

    @Override
    public void publish(LogRecord event) {
        if (event.getThrown() != null) {
            ConnectionFailure.of(event.getThrown()).ifPresent(this::failed);
        }
    }

    private void failed(ConnectionFailure failure) {
        counter.accept(failure);
        if (isToBeSaid(failure)) {
            LOG.atWarn()
                    .setMessage(failure.sentence())
                    .addKeyValue("reason", failure.label())
                    .log();
        }
    }

    private synchronized boolean isToBeSaid(ConnectionFailure failure) {
        long now = nanoTime.getAsLong();
        Long before = saidNanos.get(failure);
        if (before != null && now - before < QUIET_NANOS) {
            return false;
        }
        saidNanos.put(failure, now);
        return true;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        GRPC.forEach(logger -> logger.removeHandler(this));
    }
}
