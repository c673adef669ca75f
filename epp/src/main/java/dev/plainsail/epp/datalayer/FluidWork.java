package dev.plainsail.epp.datalayer;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Prefill tokens that an endpoint still has before it, as a fluid that drains at the endpoint's speed: W(t) = max(0,
 * W(t0) - P (t - t0)). No signal of the engine is needed for it to run dry (on vLLM none comes: its response headers go
 * out before prefill). W and t0 share one long, so readers see both of one moment.
 */
public final class FluidWork {
    /** A tick is 1/16 ms: fine enough for one token, and 32 bits last 37 hours either way. */
    private static final long TICK_NANOS = 62_500;

    /** Threads read the clock before they get here, so time may seem to go back a little. */
    private static final int CLOCK_SLACK_TICKS = 160_000;

    private final AtomicLong state = new AtomicLong();

    /** Tokens pending at the time. */
    public int at(long nowNanos, double tokensPerSecond) {
        return drained(state.get(), ticks(nowNanos), tokensPerSecond);
    }

    /** Adds a request's tokens. @return what was pending, with them */
    public int add(int tokens, long nowNanos, double tokensPerSecond) {
        int now = ticks(nowNanos);
        while (true) {
            long seen = state.get();
            int pending = Math.clamp((long) drained(seen, now, tokensPerSecond) + tokens, 0, Integer.MAX_VALUE);
            if (state.compareAndSet(seen, pack(pending, now))) {
                return pending;
            }
        }
    }

    /** Moves the belief into bounds that somebody knows; inside of them it stays. */
    public void clamp(int least, int most, long nowNanos, double tokensPerSecond) {
        int now = ticks(nowNanos);
        state.getAndUpdate(seen -> {
            int pending = drained(seen, now, tokensPerSecond);
            int better = Math.clamp(pending, Math.min(least, most), most);
            return better == pending ? seen : pack(better, now);
        });
    }

    private static int drained(long state, int now, double tokensPerSecond) {
        int pending = (int) (state >>> 32);
        if (pending == 0) {
            return 0;
        }
        int elapsed = now - (int) state;
        if (elapsed < -CLOCK_SLACK_TICKS) {
            return 0; // older than half the range of a tick count
        }
        double done = Math.max(0, elapsed) * (TICK_NANOS * 1e-9) * tokensPerSecond;
        return done >= pending ? 0 : pending - (int) done;
    }

    private static int ticks(long nanos) {
        return (int) (nanos / TICK_NANOS);
    }

    private static long pack(int pending, int ticks) {
        return ((long) pending << 32) | (ticks & 0xFFFF_FFFFL);
    }
}
