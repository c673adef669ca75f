package dev.plainsail.epp;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Makes values of the texts of flags. What is wrong with one is added to the problems, and some value is given all the same, so
 * that the others are looked at, too.
 */
record FlagValues(List<String> problems) {
    private static final Pattern DURATION = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|h)");
    private static final Pattern SIZE = Pattern.compile("([0-9]+)\\s*(B|KiB|MiB|GiB|KB|MB|GB|K|M|G)?");

    @Nullable
    Path folder(String flag, @Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        Path path = Path.of(text);
        if (!Files.isDirectory(path)) {
            problems.add(flag + ": " + text + " is no folder; give the one that holds tls.crt and tls.key");
        }
        return path;
    }

    @Nullable
    Path file(String flag, @Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        Path path = Path.of(text);
        if (!Files.isReadable(path)) {
            problems.add(flag + ": " + text + " is no file that can be read");
        }
        return path;
    }

    double share(String flag, String text) {
        try {
            double value = Double.parseDouble(text.strip());
            if (value >= 0 && value <= 1) {
                return value;
            }
        } catch (NumberFormatException e) {
            // told below, with the limits
        }
        problems.add(flag + ": '" + text + "' is no share; write a number from 0 to 1, such as 0.01");
        return 0;
    }

    int port(String flag, String text) {
        return number(flag, text, 0, 65535);
    }

    int number(String flag, String text, int least, int most) {
        try {
            int value = Integer.parseInt(text.strip());
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // told below, with the limits
        }
        problems.add(flag + ": '" + text + "' is no number from " + least + " to " + most);
        return least;
    }

    boolean bool(String flag, String text) {
        if (!text.equals("true") && !text.equals("false")) {
            problems.add(flag + ": '" + text + "' is neither true nor false");
        }
        return text.equals("true");
    }

    Duration duration(String flag, String text) {
        Matcher matcher = DURATION.matcher(text.strip());
        if (!matcher.matches()) {
            problems.add(flag + ": '" + text + "' is no duration; write 500ms, 30s, 5m");
            return Duration.ZERO;
        }
        double value = Double.parseDouble(matcher.group(1));
        long unit = switch (matcher.group(2)) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            default -> 3_600_000;
        };
        return Duration.ofMillis(Math.round(value * unit));
    }

    long size(String flag, String text) {
        Matcher matcher = SIZE.matcher(text.strip());
        if (!matcher.matches()) {
            problems.add(flag + ": '" + text + "' is no size; write 512KiB, 32MiB, 2GiB");
            return 0;
        }
        String unit = matcher.group(2) == null ? "B" : matcher.group(2).toUpperCase(Locale.ROOT);
        long factor = switch (unit.charAt(0)) {
            case 'K' -> unit.equals("KB") ? 1_000 : 1 << 10;
            case 'M' -> unit.equals("MB") ? 1_000_000 : 1 << 20;
            case 'G' -> unit.equals("GB") ? 1_000_000_000 : 1 << 30;
            default -> 1;
        };
        return Long.parseLong(matcher.group(1)) * factor;
    }
}
