package dev.plainsail.epp.datalayer;

import java.util.concurrent.atomic.AtomicBoolean;

/** The prefill of one booked request, until it is known to be over. */
public final class PendingPrefill {
    private final int tokens;
    private final int work;
    private final long admittedAtNanos;
    private final AtomicBoolean over = new AtomicBoolean();

    /**
     * @param tokens of the prompt that are to be computed
     * @param work what that takes the engine, in tokens
     */
    PendingPrefill(int tokens, int work, long admittedAtNanos) {
        this.tokens = tokens;
        this.work = work;
        this.admittedAtNanos = admittedAtNanos;
    }

    int tokens() {
        return tokens;
    }

    int work() {
        return work;
    }

    long admittedAtNanos() {
        return admittedAtNanos;
    }

    boolean isOver() {
        return over.get();
    }

    /** @return whether this call was the first */
    boolean end() {
        return over.compareAndSet(false, true);
    }
}
