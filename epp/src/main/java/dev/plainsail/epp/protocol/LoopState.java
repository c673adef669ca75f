package dev.plainsail.epp.protocol;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** What the streams of one event loop share: buffers, readers, ready answers, deadlines. Used by that loop only. */
final class LoopState {
    /** A length-framed body is taken as complete when its end mark has not come this long after its last byte. */
    private static final long SETTLE_NANOS = 20_000_000L;

    private static final int BLOCK_LIMIT = 2048;
    private static final int KEPT_CHUNKS = 512;
    private static final int KEPT_READERS = 64;

    final Chunks chunks = new Chunks(KEPT_CHUNKS);
    final MessageDecoder decoder = new MessageDecoder(chunks);
    final DestinationAnswers destinations = new DestinationAnswers();
    final BodyAnswer piece = new BodyAnswer();
    final Deadlines decisions;
    final Deadlines settling = new Deadlines(SETTLE_NANOS);
    private final Deque<BodyReader> readers = new ArrayDeque<>();
    private final Consumer<Runnable> soon;
    private final LongSupplier nanoTime;
    private boolean ticking;

    /** @param soon runs a task on this loop some 10 ms later */
    LoopState(ProtocolSettings settings, LongSupplier nanoTime, Consumer<Runnable> soon) {
        this.decisions = new Deadlines(settings.decisionTimeout().toNanos());
        this.nanoTime = nanoTime;
        this.soon = soon;
    }

    BodyReader takeReader() {
        BodyReader reader = readers.pollLast();
        return reader == null ? new BodyReader(BLOCK_LIMIT) : reader;
    }

    void give(BodyReader reader) {
        reader.reset();
        if (readers.size() < KEPT_READERS) {
            readers.addLast(reader);
        }
    }

    /** Starts a stream's wait for its decision, or starts it again. */
    void wait(Deadlines.Node node, long nowNanos) {
        decisions.put(node, nowNanos);
        startTicking();
    }

    void settle(Deadlines.Node node, long nowNanos) {
        settling.put(node, nowNanos);
        startTicking();
    }

    private void startTicking() {
        if (!ticking) {
            ticking = true;
            soon.accept(this::tick);
        }
    }

    private void tick() {
        long now = nanoTime.getAsLong();
        settling.expire(now);
        decisions.expire(now);
        ticking = !decisions.isEmpty() || !settling.isEmpty();
        if (ticking) {
            soon.accept(this::tick);
        }
    }
}
