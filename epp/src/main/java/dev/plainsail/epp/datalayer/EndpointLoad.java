package dev.plainsail.epp.datalayer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The live numbers of one endpoint. Bookings hold this object, never the slot, so that a late end is counted where the
 * start was. Safe from any thread.
 */
public final class EndpointLoad {
    /** Prefill speed of an endpoint of which nothing is known: llm-d's {@code peakPrefillThroughput}. */
    public static final double PRIOR_TOKENS_PER_SECOND = 15_928;

    /** What engines compute in one step at most, by default (vLLM's {@code --max-num-batched-tokens}). */
    private static final int BATCH_TOKENS = 8192;

    private final AtomicInteger inFlight = new AtomicInteger();
    private final LongAdder admittedTokens = new LongAdder();
    private final LongAdder expectedOutput = new LongAdder();
    private final FluidWork prefill = new FluidWork();
    private volatile Load report = Load.UNKNOWN;
    private volatile double tokensPerSecond = PRIOR_TOKENS_PER_SECOND;

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

    /**
     * Takes over the prefill of a request that was booked.
     *
     * @return tokens pending with it
     */
    public int admit(int tokens, long nowNanos) {
        admittedTokens.add(tokens);
        return prefill.add(tokens, nowNanos, tokensPerSecond);
    }

    /** Gives back prefill that will not happen any more, or that was seen to be over. */
    public void giveBack(int tokens, long nowNanos) {
        prefill.add(-tokens, nowNanos, tokensPerSecond);
    }

    /** Prefill tokens ever admitted. */
    long admittedTokens() {
        return admittedTokens.sum();
    }

    /** The engine's queue was empty: no more can be pending than what came since, and what it was just computing. */
    void queueWasEmpty(long admittedSince, long nowNanos) {
        prefill.limit((int) Math.min(admittedSince + BATCH_TOKENS, Integer.MAX_VALUE), nowNanos, tokensPerSecond);
    }

    /** Prefill tokens pending at the time. */
    public int pendingPrefill(long nowNanos) {
        return prefill.at(nowNanos, tokensPerSecond);
    }

    /** Prefill speed: as set, else learnt from the engine's counters, else {@link #PRIOR_TOKENS_PER_SECOND}. */
    public double tokensPerSecond() {
        return tokensPerSecond;
    }

    void report(Load report) {
        this.report = report;
    }

    void tokensPerSecond(double tokensPerSecond) {
        this.tokensPerSecond = tokensPerSecond;
    }
}
