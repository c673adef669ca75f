package dev.plainsail.epp.pool;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * Gives out small integers, one for each live endpoint of the process. A freed one rests first, so that a decision which
 * still holds it never means another endpoint. Watchers hear of both ends of the rest.
 */
public final class Slots {
    /** Longer than any decision takes. */
    public static final Duration REST = Duration.ofSeconds(60);

    private record Resting(int slot, long sinceNanos) {}

    private final LongSupplier nanoTime;
    private final ArrayDeque<Resting> resting = new ArrayDeque<>();
    private final List<SlotWatcher> watchers = new CopyOnWriteArrayList<>();
    private int next;

    public Slots(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    public void watch(SlotWatcher watcher) {
        watchers.add(watcher);
    }

    synchronized int take() {
        Resting oldest = resting.peek();
        int slot;
        if (oldest != null && nanoTime.getAsLong() - oldest.sinceNanos() >= REST.toNanos()) {
            resting.remove();
            slot = oldest.slot();
        } else {
            slot = next++;
        }
        watchers.forEach(watcher -> watcher.taken(slot));
        return slot;
    }

    synchronized void free(int slot) {
        resting.add(new Resting(slot, nanoTime.getAsLong()));
        watchers.forEach(watcher -> watcher.freed(slot));
    }
}
