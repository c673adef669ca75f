package dev.plainsail.e2e.engine;

import java.util.Locale;
import java.util.Map;

/**
 * What an engine does wrong on purpose. The first three concern completions.
 *
 * @param failStatus answer with this status, in vLLM's error shape; 0 is off
 * @param resetAfterTokens reset the connection after so many tokens of a streamed answer, or instead of a whole one; -1 is off
 * @param hang take the request and never answer
 * @param count how many completions the first three still concern; -1 is all
 * @param unhealthy {@code /health} answers 503, as when vLLM's engine process has died
 * @param metrics what becomes of {@code /metrics}
 */
record Faults(int failStatus, int resetAfterTokens, boolean hang, int count, boolean unhealthy, MetricsFault metrics) {
    /** NONE: all is well. ERROR: 500. HANG: no answer. EMPTY: 200, but no line of vLLM's. */
    enum MetricsFault {
        NONE,
        ERROR,
        HANG,
        EMPTY;

        static MetricsFault of(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }
    }

    static final Faults NONE = new Faults(0, -1, false, -1, false, MetricsFault.NONE);

    Faults {
        if ((failStatus != 0 && (failStatus < 400 || failStatus > 599)) || resetAfterTokens < -1 || count < -1) {
            throw new IllegalArgumentException(
                    "fail-status 0 or 400..599, reset-after-tokens and count -1 or more; not " + failStatus + ", "
                            + resetAfterTokens + ", " + count);
        }
    }

    private boolean concernsCompletions() {
        return failStatus != 0 || resetAfterTokens >= 0 || hang;
    }

    /** What the next completion meets. */
    Faults now() {
        return count == 0 ? new Faults(0, -1, false, -1, unhealthy, metrics) : this;
    }

    /** What is left after one completion. */
    Faults afterOne() {
        return count > 0 && concernsCompletions()
                ? new Faults(failStatus, resetAfterTokens, hang, count - 1, unhealthy, metrics)
                : this;
    }

    /**
     * These faults with some settings changed.
     *
     * @throws IllegalArgumentException for an unknown key or a bad value, saying what there is
     */
    Faults with(Map<String, String> changes) {
        Faults result = this;
        for (Map.Entry<String, String> change : changes.entrySet()) {
            result = result.with(change.getKey(), change.getValue());
        }
        return result;
    }

    private Faults with(String key, String value) {
        return switch (key) {
            case "fail-status" ->
                new Faults(Integer.parseInt(value), resetAfterTokens, hang, count, unhealthy, metrics);
            case "reset-after-tokens" ->
                new Faults(failStatus, Integer.parseInt(value), hang, count, unhealthy, metrics);
            case "hang" -> new Faults(failStatus, resetAfterTokens, bool(value), count, unhealthy, metrics);
            case "count" -> new Faults(failStatus, resetAfterTokens, hang, Integer.parseInt(value), unhealthy, metrics);
            case "unhealthy" -> new Faults(failStatus, resetAfterTokens, hang, count, bool(value), metrics);
            case "metrics" -> new Faults(failStatus, resetAfterTokens, hang, count, unhealthy, MetricsFault.of(value));
            default ->
                throw new IllegalArgumentException("no fault \"" + key
                        + "\"; there are fail-status, reset-after-tokens, hang, count, unhealthy, metrics");
        };
    }

    private static boolean bool(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("true or false, not " + text);
        };
    }

    Map<String, Object> asMap() {
        return Map.of(
                "fail-status", failStatus,
                "reset-after-tokens", resetAfterTokens,
                "hang", hang,
                "count", count,
                "unhealthy", unhealthy,
                "metrics", metrics.name().toLowerCase(Locale.ROOT));
    }
}
