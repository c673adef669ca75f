package dev.plainsail.epp.protocol;

import java.util.concurrent.atomic.AtomicLong;

/** How much memory the bodies of all streams may hold together. Safe from any thread. */
final class MemoryBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    MemoryBudget(long limit) {
        this.limit = limit;
    }

    /** Whether the bytes are granted; if so they must be given back. */
    boolean take(long bytes) {
        if (used.addAndGet(bytes) > limit) {
            used.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    void give(long bytes) {
        used.addAndGet(-bytes);
    }

    long used() {
        return used.get();
    }
}
