package dev.plainsail.epp.datalayer;

import java.util.concurrent.atomic.AtomicBoolean;

/** The prefill of one booked request, until it is known to be over. */
public final class PendingPrefill {
    private final int tokens;
    private final long admittedAtNanos;
    private final AtomicBoolean over = new AtomicBoolean();

    PendingPrefill(int tokens, long admittedAtNanos) {
        this.tokens = tokens;
        this.admittedAtNanos = admittedAtNanos;
    }

    int tokens() {
        return tokens;
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
