package dev.plainsail.epp.datalayer;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The prefills that were sent to an endpoint and are not known to be over, in the order of sending, which is the order in
 * which engines compute them. No engine says which request got its first token; but their counters say how many did, so
 * with every report as many are taken from the front. Requests of other pickers are in the counter too: of the first
 * tokens, our share is that of our requests in the engine. Admitted and ended by any thread, everything else by the
 * scraper's.
 */
final class PrefillQueue {
    /** An endpoint whose counter stands still may not hold on to old requests for ever. */
    private static final int MAX_LENGTH = 4096;

    private final ConcurrentLinkedQueue<PendingPrefill> pending = new ConcurrentLinkedQueue<>();
    private final AtomicLong tokens = new AtomicLong();
    private final AtomicLong work = new AtomicLong();
    private final AtomicInteger length = new AtomicInteger();
    private boolean known;
    private final AtomicInteger seenElsewhere = new AtomicInteger();
    private double share;

    void add(PendingPrefill prefill) {
        tokens.addAndGet(prefill.tokens());
        work.addAndGet(prefill.work());
        pending.add(prefill);
        if (length.incrementAndGet() > MAX_LENGTH) {
            PendingPrefill oldest = pending.peek();
            if (oldest != null) {
                end(oldest);
            }
        }
    }

    /** @return whether it was pending until now */
    boolean end(PendingPrefill prefill) {
        boolean first = prefill.end();
        if (first) {
            tokens.addAndGet(-prefill.tokens());
            work.addAndGet(-prefill.work());
        }
        dropOver();
        return first;
    }

    /** A prefill was ended by what somebody else saw: the engine's counter will show it, too. */
    void seenElsewhere() {
        seenElsewhere.incrementAndGet();
    }

    /** Whether the engine counts first tokens, so that what is left in the queue is pending indeed. */
    boolean isKnown() {
        return known;
    }

    /** Takes what got its first token between two reports from the front. */
    void observe(EngineReport previous, EngineReport fresh, int inFlight) {
        double more = fresh.counters().firstTokens() - previous.counters().firstTokens();
        known = !Double.isNaN(more);
        double inEngine = fresh.load().running() + fresh.load().waiting();
        double ours = inEngine > inFlight ? Math.max(1, inFlight) / inEngine : 1;
        int elsewhere = seenElsewhere.getAndSet(0);
        if (more > 0) {
            share = Math.max(0, share + more * ours - elsewhere);
        }
        if (inEngine == 0) {
            endAllBefore(fresh.load().readAtNanos());
        }
        for (; share >= 1; share--) {
            PendingPrefill first = pending.peek();
            if (first == null || first.admittedAtNanos() - fresh.load().readAtNanos() > 0) {
                share = 0;
                break;
            }
            end(first);
        }
    }

    private void endAllBefore(long nanos) {
        for (PendingPrefill prefill : pending) {
            if (prefill.admittedAtNanos() - nanos <= 0) {
                end(prefill);
            }
        }
    }

    private void dropOver() {
        for (PendingPrefill first = pending.peek(); first != null && first.isOver(); first = pending.peek()) {
            if (pending.remove(first)) {
                length.decrementAndGet();
            }
        }
    }

    /** Tokens of all that is pending. */
    int tokens() {
        return Math.clamp(tokens.get(), 0, Integer.MAX_VALUE);
    }

    /** Work of all that is pending: the most that the engine can have before it. */
    int work() {
        return Math.clamp(work.get(), 0, Integer.MAX_VALUE);
    }

    /** The same without the first, which the engine may be about to finish: the least that it has before it. */
    int workBehindFirst() {
        for (PendingPrefill prefill : pending) {
            if (!prefill.isOver()) {
                return Math.max(0, work() - prefill.work());
            }
        }
        return 0;
    }
}
