package dev.plainsail.webhook.cluster;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often we speak. The same words about the same object are said once in {@link #MEMORY}, as long as the cluster keeps
 * Events; numbers do not make other words ("used: 3" and "used: 4"). In all, {@link #BURST} at once and then
 * {@link #PER_SECOND}: ten thousand pods that wait for one reason must not fill the cluster's store in a moment. What was put off is
 * for the caller to say later. Not thread-safe.
 */
final class EventBudget {
    enum Answer {
        SAY,
        SAID_ALREADY,
        LATER
    }

    /** A said thing: about whom, and the hash of the words. */
    private record Said(String uid, int words) {}

    static final Duration MEMORY = Duration.ofHours(1);
    static final int BURST = 50;
    static final int PER_SECOND = 10;
    /** About 100 bytes each. The oldest are forgotten first: then the cluster's own 409 says that it was said. */
    private static final int REMEMBERED = 20_000;

    private final Map<Said, Long> saidAtNanos = new LinkedHashMap<>();
    private double tokens = BURST;
    private long filledAtNanos;

    EventBudget(long nowNanos) {
        filledAtNanos = nowNanos;
    }

    Answer ask(String uid, String words, long nowNanos) {
        Said said = new Said(uid, words.hashCode());
        Long before = saidAtNanos.get(said);
        if (before != null && nowNanos - before < MEMORY.toNanos()) {
            return Answer.SAID_ALREADY;
        }
        tokens = Math.min(BURST, tokens + (nowNanos - filledAtNanos) * 1e-9 * PER_SECOND);
        filledAtNanos = nowNanos;
        if (tokens < 1) {
            return Answer.LATER;
        }
        tokens--;
        saidAtNanos.remove(said);
        saidAtNanos.put(said, nowNanos);
        if (saidAtNanos.size() > REMEMBERED) {
            saidAtNanos.remove(saidAtNanos.keySet().iterator().next());
        }
        return Answer.SAY;
    }
}
