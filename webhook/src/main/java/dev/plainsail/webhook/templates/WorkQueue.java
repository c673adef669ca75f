package dev.plainsail.webhook.templates;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;

/**
 * Keys to look at, each at most once at a time: a key that is added while it waits waits on, at the earlier of both times.
 * Threads: any may add; one takes.
 */
final class WorkQueue<K> {
    private record Due<K>(long atNanos, K key) {}

    private static final Duration FIRST_RETRY = Duration.ofMillis(50);
    private static final Duration LAST_RETRY = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private final Map<K, Long> waiting = new HashMap<>();
    /** May hold outdated entries of a key; the map says which one counts. */
    private final PriorityQueue<Due<K>> order = new PriorityQueue<>((a, b) -> Long.signum(a.atNanos() - b.atNanos()));

    private final Map<K, Integer> failures = new HashMap<>();

    WorkQueue(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void add(K key) {
        add(key, Duration.ZERO);
    }

    synchronized void add(K key, Duration delay) {
        long at = nanoTime.getAsLong() + delay.toNanos();
        Long already = waiting.get(key);
        if (already != null && already - at <= 0) {
            return;
        }
        waiting.put(key, at);
        order.add(new Due<>(at, key));
        notifyAll();
    }

    /** Again after 50 ms, then twice as long each time, at most a minute, until {@link #succeeded}. */
    synchronized void retry(K key) {
        int before = failures.merge(key, 1, Integer::sum) - 1;
        Duration delay = FIRST_RETRY.multipliedBy(1L << Math.min(before, 20));
        add(key, delay.compareTo(LAST_RETRY) < 0 ? delay : LAST_RETRY);
    }

    synchronized void succeeded(K key) {
        failures.remove(key);
    }

    /** Waits for the next key that is due. */
    synchronized K take() throws InterruptedException {
        while (true) {
            Optional<K> due = poll();
            if (due.isPresent()) {
                return due.get();
            }
            Due<K> next = order.peek();
            if (next == null) {
                wait();
            } else {
                wait(Math.max(1, (next.atNanos() - nanoTime.getAsLong()) / 1_000_000));
            }
        }
    }

    /** The next key if one is due. */
    synchronized Optional<K> poll() {
        while (!order.isEmpty() && order.peek().atNanos() - nanoTime.getAsLong() <= 0) {
            Due<K> due = order.remove();
            if (waiting.remove(due.key(), due.atNanos())) {
                return Optional.of(due.key());
            }
        }
        return Optional.empty();
    }

    synchronized int size() {
        return waiting.size();
    }
}
