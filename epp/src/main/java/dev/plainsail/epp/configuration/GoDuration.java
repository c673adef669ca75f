package dev.plainsail.epp.configuration;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations as llm-d's files write them, Go's way: {@code 1h30m}, {@code 1.5s}, {@code 200ms}; {@code 0} alone. */
final class GoDuration {
    private static final Pattern PART = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,9})?)(ns|us|µs|ms|s|m|h)");
    private static final Map<String, Long> NANOS = Map.of(
            "ns",
            1L,
            "us",
            1_000L,
            "µs",
            1_000L,
            "ms",
            1_000_000L,
            "s",
            1_000_000_000L,
            "m",
            60_000_000_000L,
            "h",
            3_600_000_000_000L);

    private GoDuration() {}

    /** null: no duration. */
    static @Nullable Duration parse(String text) {
        if (text.equals("0")) {
            return Duration.ZERO;
        }
        Matcher part = PART.matcher(text);
        int at = 0;
        BigDecimal nanos = BigDecimal.ZERO;
        while (part.find() && part.start() == at) {
            nanos = nanos.add(
                    new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(NANOS.getOrDefault(part.group(2), 0L))));
            at = part.end();
        }
        boolean whole = at > 0 && at == text.length();
        return whole && nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) < 0
                ? Duration.ofNanos(nanos.longValue())
                : null;
    }

    static String format(Duration duration) {
        long nanos = duration.toNanos();
        if (nanos % 1_000_000_000L == 0) {
            return nanos / 1_000_000_000L + "s";
        }
        return nanos % 1_000_000L == 0 ? nanos / 1_000_000L + "ms" : nanos + "ns";
    }
}
