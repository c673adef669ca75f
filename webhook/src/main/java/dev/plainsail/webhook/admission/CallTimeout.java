package dev.plainsail.webhook.admission;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How long the API server waits for an answer: it adds {@code ?timeout=5s} to the URL, in Go's spelling of durations. Past
 * that it does not listen any more, and the failure policy decides instead of us.
 */
public final class CallTimeout {

    /** The API's default of {@code timeoutSeconds}, for callers that say nothing. */
    static final Duration DEFAULT = Duration.ofSeconds(10);

    /** Looking at the cluster takes milliseconds; more only where a condition is tried on very many devices. */
    private static final Duration LOOKING = Duration.ofSeconds(2);

    private static final Pattern PART = Pattern.compile("([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)");
    private static final int LONGEST_TEXT = 64;

    private CallTimeout() {}

    /**
     * @param text as Go writes and reads it: {@code 10s}, {@code 1m30s}, {@code 1.5s}
     * @return empty if it is no duration, or none that leaves time to answer
     */
    static Optional<Duration> parse(@Nullable String text) {
        if (text == null) {
            return Optional.of(DEFAULT);
        }
        Matcher part = PART.matcher(text);
        BigDecimal nanos = BigDecimal.ZERO;
        int end = text.startsWith("+") ? 1 : 0;
        while (end < text.length() && text.length() <= LONGEST_TEXT && part.find(end) && part.start() == end) {
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(nanos(part.group(2)))));
            end = part.end();
        }
        boolean isWhole = end == text.length() && nanos.compareTo(BigDecimal.ONE) >= 0;
        return isWhole && nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0
                ? Optional.of(Duration.ofNanos(nanos.longValue()))
                : Optional.empty();
    }

    private static long nanos(String unit) {
        return switch (unit) {
            case "ns" -> 1;
            case "us", "µs", "μs" -> 1_000;
            case "ms" -> 1_000_000;
            case "s" -> 1_000_000_000L;
            case "m" -> Duration.ofMinutes(1).toNanos();
            default -> Duration.ofHours(1).toNanos();
        };
    }

    /**
     * How much of what is left may go into looking at the cluster, which only adds warnings: half of it, so that the answer
     * is on its way in time even if the last step of looking is a slow one.
     */
    public static Duration forLooking(Duration left) {
        Duration half = left.dividedBy(2);
        return half.compareTo(LOOKING) < 0 ? half : LOOKING;
    }
}
