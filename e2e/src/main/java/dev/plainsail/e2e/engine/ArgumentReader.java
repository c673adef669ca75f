package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.EngineSettings.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads values out of a command line that has been cut: numbers, switches, and what only a simulated engine has. Our own flags begin with
 * {@code --sim-}; each is also an environment variable, {@code SIM_TIME_FACTOR} for {@code --sim-time-factor}.
 *
 * @param environment of the process
 */
record ArgumentReader(CommandLine line, Map<String, String> environment) {
    /** Our own flags. */
    static final List<String> OWN = List.of(
            "sim-time-factor",
            "sim-prefill-rate",
            "sim-step-ms",
            "sim-step-per-sequence-ms",
            "sim-start-delay",
            "sim-fail-status",
            "sim-reset-after-tokens",
            "sim-hang",
            "sim-count",
            "sim-unhealthy",
            "sim-metrics");

    private static final Pattern HUMAN = Pattern.compile("(\\d+)(\\.\\d+)?([kKmMgGtT])?");

    /** A mistake in the command line, worded for the user. */
    static final class Wrong extends Exception {
        private static final long serialVersionUID = 1;

        Wrong(String message) {
            super(message);
        }
    }

    /** Cuts the words by a table of flags. */
    static ArgumentReader of(FlagTable flags, List<String> words, Map<String, String> environment) throws Wrong {
        CommandLine line = CommandLine.parse(flags, words);
        if (line.problem().isPresent()) {
            throw new Wrong(line.problem().get());
        }
        return new ArgumentReader(line, environment);
    }

    Optional<String> last(String flag) {
        return line.last(flag);
    }

    List<String> all(String flag) {
        return line.all(flag);
    }

    Optional<Tls> tls() throws Wrong {
        Optional<String> certificate = line.last("ssl-certfile");
        Optional<String> key = line.last("ssl-keyfile");
        if (certificate.isPresent() != key.isPresent()) {
            throw new Wrong("To enable SSL, both --ssl-certfile and --ssl-keyfile are needed");
        }
        return certificate.map(c -> new Tls(Path.of(c), Path.of(key.orElseThrow())));
    }

    TimeModel time() throws Wrong {
        try {
            return new TimeModel(
                    Double.parseDouble(own("sim-prefill-rate").orElse("10000")),
                    millis(own("sim-step-ms").orElse("8")),
                    millis(own("sim-step-per-sequence-ms").orElse("0.1")),
                    Double.parseDouble(own("sim-time-factor").orElse("1")));
        } catch (IllegalArgumentException e) {
            throw new Wrong("the simulated engine's times: " + e.getMessage());
        }
    }

    private static Duration millis(String text) {
        return Duration.ofNanos(Math.round(Double.parseDouble(text) * 1e6));
    }

    Duration startDelay() throws Wrong {
        try {
            return millis(own("sim-start-delay").map(seconds -> seconds + "e3").orElse("0"));
        } catch (NumberFormatException e) {
            throw new Wrong("--sim-start-delay takes seconds, like 2.5");
        }
    }

    Faults faults() throws Wrong {
        Map<String, String> changes = new HashMap<>();
        for (String fault : List.of("fail-status", "reset-after-tokens", "hang", "count", "unhealthy", "metrics")) {
            own("sim-" + fault).ifPresent(value -> changes.put(fault, value));
        }
        try {
            return Faults.NONE.with(changes);
        } catch (IllegalArgumentException e) {
            throw new Wrong("the simulated engine's faults: " + e.getMessage());
        }
    }

    private Optional<String> own(String flag) {
        return line.last(flag)
                .or(() -> Optional.ofNullable(
                        environment.get(flag.toUpperCase(Locale.ROOT).replace('-', '_'))));
    }

    boolean isOn(String flag, boolean otherwise) {
        return line.last(flag).map(Boolean::parseBoolean).orElse(otherwise);
    }

    void json(String flag) throws Wrong {
        Optional<String> text = line.last(flag).filter(value -> !value.isEmpty());
        if (text.isPresent()) {
            try {
                JsonMapper.shared().readTree(text.get());
            } catch (JacksonException e) {
                throw new Wrong("argument --" + flag + ": Value " + text.get() + " cannot be converted to JSON.");
            }
        }
    }

    int number(String flag, int otherwise, int min, int max) throws Wrong {
        Optional<String> text = line.last(flag);
        if (text.isEmpty()) {
            return otherwise;
        }
        int value = human(flag, text.get());
        if (value < min || value > max) {
            throw new Wrong("argument --" + flag + ": " + value + " is not between " + min + " and " + max);
        }
        return value;
    }

    /** Whole numbers, also as 1k (1,000), 1K (1,024), 2.5m. */
    static int human(String flag, String text) throws Wrong {
        Matcher matcher = HUMAN.matcher(text);
        String unit = matcher.matches() && matcher.group(3) != null ? matcher.group(3) : "";
        boolean binary = !unit.isEmpty() && Character.isUpperCase(unit.charAt(0));
        if (!matcher.matches() || (matcher.group(2) != null && (unit.isEmpty() || binary))) {
            throw new Wrong("argument --" + flag + ": invalid int value: '" + text + "'");
        }
        int power = unit.isEmpty() ? 0 : "kmgt".indexOf(unit.toLowerCase(Locale.ROOT)) + 1;
        double number = Double.parseDouble(matcher.group(1) + (matcher.group(2) == null ? "" : matcher.group(2)));
        double value = number * Math.pow(binary ? 1024 : 1000, power);
        if (value > Integer.MAX_VALUE) {
            throw new Wrong("argument --" + flag + ": " + text + " is too large for a simulated engine");
        }
        return (int) value;
    }

    double real(String flag, String otherwise) throws Wrong {
        String text = line.last(flag).orElse(otherwise);
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new Wrong("argument --" + flag + ": invalid float value: '" + text + "'");
        }
    }
}
