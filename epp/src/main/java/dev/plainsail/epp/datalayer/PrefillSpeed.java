package dev.plainsail.epp.datalayer;

import dev.plainsail.epp.datalayer.EngineReport.Counters;
import org.jspecify.annotations.Nullable;

/**
 * How many prompt tokens a second an engine computes, learnt from the growth of its own counters. Two views, both rather
 * too low than too high: tokens over time spent in prefills (overlapping prefills count their time twice), and, over a
 * minute in which requests were waiting all the time, tokens over time passed. So the highest seen is kept, fading with a
 * half-life of ten minutes. Written by the scraper's thread; read by any.
 */
final class PrefillSpeed {
    /** Below this many requests seen the speed of the others counts as well. */
    static final int TRUSTED_REQUESTS = 20;

    private static final double HALF_LIFE_SECONDS = 600;
    private static final double MIN_TOKENS = 512;
    private static final double BUSY_SECONDS = 60;

    private @Nullable EngineReport busySince;
    private double highest;
    private long highestAtNanos;
    private double requests;

    /** Takes over what happened between two reports of the same process. */
    void observe(EngineReport before, EngineReport now) {
        Counters old = before.counters();
        Counters fresh = now.counters();
        double tokens = fresh.prefillTokens() - old.prefillTokens();
        double seconds = fresh.prefillSeconds() - old.prefillSeconds();
        if (tokens >= MIN_TOKENS && seconds > 0) {
            seen(tokens / seconds, now.load().readAtNanos());
        }
        observeBusyStretch(now);
        double more = fresh.prefillRequests() - old.prefillRequests();
        if (more > 0) {
            requests += more;
        }
    }

    /** Engines count a prompt when it is done, so a stretch must be long against the longest prefill. */
    private void observeBusyStretch(EngineReport now) {
        if (!(now.load().waiting() > 0)) {
            busySince = null;
            return;
        }
        EngineReport start = busySince;
        if (start == null) {
            busySince = now;
            return;
        }
        double seconds = (now.load().readAtNanos() - start.load().readAtNanos()) * 1e-9;
        double tokens = now.counters().computedPromptTokens() - start.counters().computedPromptTokens();
        if (seconds >= BUSY_SECONDS) {
            busySince = now;
            if (tokens >= MIN_TOKENS) {
                seen(tokens / seconds, now.load().readAtNanos());
            }
        }
    }

    private void seen(double tokensPerSecond, long nowNanos) {
        if (tokensPerSecond >= faded(nowNanos)) {
            highest = tokensPerSecond;
            highestAtNanos = nowNanos;
        }
    }

    private double faded(long nowNanos) {
        double seconds = Math.max(0, nowNanos - highestAtNanos) * 1e-9;
        return highest * Math.pow(0.5, seconds / HALF_LIFE_SECONDS);
    }

    /** Whether it is known well enough to speak for others. */
    boolean trusted() {
        return highest > 0 && requests >= TRUSTED_REQUESTS;
    }

    /** As seen here, while that is little drawn to what is usual elsewhere. */
    double tokensPerSecond(double usual, long nowNanos) {
        if (highest == 0) {
            return usual;
        }
        double own = Math.min(1, requests / TRUSTED_REQUESTS);
        return own * Math.max(faded(nowNanos), highest / 2) + (1 - own) * usual;
    }
}
