package dev.plainsail.epp.datalayer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The live numbers of one endpoint. Bookings hold this object, never the slot, so that a late end is counted where the
 * start was. Safe from any thread.
 */
public final class EndpointLoad {
    /** Prefill speed of an endpoint of which nothing is known: llm-d's {@code peakPrefillThroughput}. */
    public static final double PRIOR_TOKENS_PER_SECOND = 15_928;

    /** What a prefill takes besides its tokens: a step of the engine's scheduler, which carries the decodes of others. */
    private static final double STEP_SECONDS = 0.02;

    private final AtomicInteger inFlight = new AtomicInteger();
    private final LongAdder expectedOutput = new LongAdder();
    private final FluidWork work = new FluidWork();
    private final PrefillQueue queue = new PrefillQueue();
    private final Fitness fitness;
    private final PrefillSpeed speed = new PrefillSpeed();
    private volatile Load report = Load.UNKNOWN;
    private volatile double tokensPerSecond = PRIOR_TOKENS_PER_SECOND;

    EndpointLoad(long nowNanos) {
        this.fitness = new Fitness(nowNanos);
    }

    /** Whether it may get requests, and how many for a start. */
    public Fitness fitness() {
        return fitness;
    }

    /** What is learnt about its prefill. */
    PrefillSpeed speed() {
        return speed;
    }

    /** Requests that we sent and that have not ended, as far as we know. */
    public int inFlight() {
        return inFlight.get();
    }

    /** Books a request if the count is still the one that was scored. */
    public boolean book(int seen) {
        return inFlight.compareAndSet(seen, seen + 1);
    }

    /** Books a request whatever the count is. */
    public void bookAnyway() {
        inFlight.incrementAndGet();
    }

    /** Ends one booking. The caller makes sure that each ends once. */
    public void end() {
        int left = inFlight.decrementAndGet();
        if (left < 0) {
            inFlight.incrementAndGet();
            throw new IllegalStateException("a booking ended twice: " + left + " in flight");
        }
    }

    /** The last report; may be old. */
    public Load report() {
        return report;
    }

    /** Output tokens that bookings are expected to bring. */
    public long expectedOutput() {
        return expectedOutput.sum();
    }

    /** @param tokens negative when a booking ends */
    public void expectOutput(int tokens) {
        expectedOutput.add(tokens);
    }

    /** Takes over the prefill of a request that was booked. */
    public PendingPrefill admit(int tokens, long nowNanos) {
        int charge = tokens + (int) (STEP_SECONDS * tokensPerSecond);
        PendingPrefill prefill = new PendingPrefill(tokens, charge, nowNanos);
        work.add(charge, nowNanos, tokensPerSecond);
        queue.add(prefill);
        return prefill;
    }

    /** The prefill is over, or will not happen any more: what is left of it is given back. Idempotent. */
    public void finish(PendingPrefill prefill, long nowNanos) {
        if (queue.end(prefill)) {
            queue.seenElsewhere();
            work.clamp(0, queue.work(), nowNanos, tokensPerSecond); // the least is known at a report only
        }
    }

    /**
     * Takes over a report. One thread at a time.
     *
     * @param previous of the same process; null: there is none
     * @param askedAtNanos when the report was asked for; what was admitted later is not in it
     * @param usual prefill speed of endpoints like this one
     */
    public void observe(EngineReport fresh, @Nullable EngineReport previous, long askedAtNanos, double usual) {
        if (previous != null) {
            speed.observe(previous, fresh);
        }
        queue.observe(previous == null ? fresh : previous, fresh, inFlight.get());
        tokensPerSecond = speed.tokensPerSecond(usual, askedAtNanos);
        if (queue.isKnown() || fresh.load().running() + fresh.load().waiting() == 0) {
            work.clamp(queue.workBehindFirst(), queue.work(), askedAtNanos, tokensPerSecond);
        }
        report = fresh.load();
    }

    /** Prefill tokens pending at the time. */
    public int pendingPrefill(long nowNanos) {
        return pendingPrefill(pendingWork(nowNanos));
    }

    /** @param pendingWork as {@link #pendingWork} has just given it */
    public int pendingPrefill(int pendingWork) {
        return Math.min(pendingWork, queue.tokens());
    }

    /** What the endpoint has before it, in tokens: those pending, and for each prefill a step of its scheduler. */
    public int pendingWork(long nowNanos) {
        return work.at(nowNanos, tokensPerSecond);
    }

    /** Prefill speed: as set, else learnt from the engine's counters, else {@link #PRIOR_TOKENS_PER_SECOND}. */
    public double tokensPerSecond() {
        return tokensPerSecond;
    }
}
