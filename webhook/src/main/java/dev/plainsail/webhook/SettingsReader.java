package dev.plainsail.webhook;

import dev.plainsail.webhook.plan.Nearest;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Takes typed values out of a tree and collects what is wrong, so that everything is said at once. One use, one thread. */
final class SettingsReader {
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");
    private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

    private final ObjectNode tree;
    private final Map<String, String> environment;
    private final List<SettingsProblem> problems = new ArrayList<>();

    SettingsReader(ObjectNode tree, Map<String, String> environment) {
        this.tree = tree;
        this.environment = environment;
    }

    /** What is set, else the environment's, else the default; empty if there is none, or if a problem was noted. */
    Optional<String> text(SettingsKey key) {
        JsonNode node = tree.get(key.key());
        if (node == null || node.isNull()) {
            return key.variable()
                    .flatMap(variable -> Optional.ofNullable(environment.get(variable)))
                    .or(() -> Optional.of(key.fallback()))
                    .filter(value -> !value.isEmpty());
        }
        if (!node.isValueNode()) {
            problem(key.key(), "", "is not a single value");
            return Optional.empty();
        }
        return Optional.of(node.asString());
    }

    /** Whatever stands under a key that has keys of its own. */
    Optional<JsonNode> tree(SettingsKey key) {
        return Optional.ofNullable(tree.get(key.key())).filter(node -> !node.isNull());
    }

    String name(SettingsKey key) {
        return read(
                key,
                value -> DNS_LABEL.matcher(value).matches() ? value : null,
                "is not a name of a Kubernetes object (lower case letters, digits, \"-\", \".\")");
    }

    /** Only literals: a name would be looked up, and could mean something else each time. */
    InetAddress address(SettingsKey key) {
        return read(key, SettingsReader::literal, "is not an IP address");
    }

    int port(SettingsKey key) {
        return read(key, SettingsReader::portNumber, "is not a port (1 to 65535; 0 takes a free one)");
    }

    Duration duration(SettingsKey key) {
        return read(
                key,
                SettingsReader::durationOf,
                "is not a duration; write a number and one of ms, s, m, h, d, such as 24h");
    }

    boolean flag(SettingsKey key) {
        return read(key, SettingsReader::truth, "is neither true nor false");
    }

    /** The value; after a problem, which is noted, the default, so that reading can go on. */
    private <T> T read(SettingsKey key, Function<String, @Nullable T> reading, String complaint) {
        Optional<String> text = text(key);
        T value = text.isPresent() ? reading.apply(text.get()) : null;
        if (value != null) {
            return value;
        }
        text.ifPresent(wrong -> problem(key.key(), wrong, complaint));
        return Objects.requireNonNull(reading.apply(key.fallback()), key.key());
    }

    private static @Nullable InetAddress literal(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable Boolean truth(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> null;
        };
    }

    private static @Nullable Integer portNumber(String text) {
        try {
            int port = Integer.parseInt(text);
            return port >= 0 && port <= 65_535 ? (Integer) port : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable Duration durationOf(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    void problem(String key, String value, String detail) {
        problems.add(new SettingsProblem(key, value, detail));
    }

    /** Everything that is wrong, unknown keys included. */
    List<SettingsProblem> problems() {
        List<SettingsProblem> all = new ArrayList<>(problems);
        List<String> known =
                List.of(SettingsKey.values()).stream().map(SettingsKey::key).toList();
        for (String key : tree.propertyNames()) {
            if (!known.contains(key)) {
                String nearest = Nearest.of(key, known)
                        .map(candidate -> "; did you mean \"" + candidate + "\"?")
                        .orElse("; known are " + String.join(", ", known));
                all.add(new SettingsProblem(key, "", "is not a setting" + nearest));
            }
        }
        return all;
    }
}
