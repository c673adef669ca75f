package dev.plainsail.webhook;

import dev.plainsail.webhook.plan.Nearest;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Takes typed values out of a tree and collects what is wrong, so that everything is said at once. One use, one thread. */
final class SettingsReader {
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");
    private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

    private final ObjectNode tree;
    private final List<SettingsProblem> problems = new ArrayList<>();
    private final Set<String> known = new LinkedHashSet<>();

    SettingsReader(ObjectNode tree) {
        this.tree = tree;
    }

    Optional<String> text(String key) {
        known.add(key);
        JsonNode node = tree.get(key);
        if (node == null || node.isNull()) {
            return Optional.empty();
        }
        if (!node.isValueNode()) {
            problem(key, "", "is not a single value");
            return Optional.empty();
        }
        return Optional.of(node.asString());
    }

    /** Whatever stands under a key that has keys of its own. */
    Optional<JsonNode> tree(String key) {
        known.add(key);
        return Optional.ofNullable(tree.get(key)).filter(node -> !node.isNull());
    }

    String name(String key, String fallback) {
        String value = text(key).orElse(fallback);
        if (!DNS_LABEL.matcher(value).matches()) {
            problem(key, value, "is not a name of a Kubernetes object (lower case letters, digits, \"-\", \".\")");
        }
        return value;
    }

    InetAddress address(String key, String fallback) {
        String value = text(key).orElse(fallback);
        try {
            // Only literals: a name would be looked up, and could mean something else each time.
            return InetAddress.ofLiteral(value);
        } catch (IllegalArgumentException e) {
            problem(key, value, "is not an IP address");
            return InetAddress.getLoopbackAddress();
        }
    }

    int port(String key, int fallback) {
        String value = text(key).orElse(Integer.toString(fallback));
        try {
            int port = Integer.parseInt(value);
            if (port >= 0 && port <= 65_535) {
                return port;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        problem(key, value, "is not a port (1 to 65535; 0 takes a free one)");
        return fallback;
    }

    Duration duration(String key, Duration fallback) {
        Optional<String> value = text(key);
        if (value.isEmpty()) {
            return fallback;
        }
        Matcher matcher = DURATION.matcher(value.get());
        if (!matcher.matches()) {
            problem(key, value.get(), "is not a duration; write a number and one of ms, s, m, h, d, such as 24h");
            return fallback;
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

    boolean flag(String key, boolean fallback) {
        String value = text(key).orElse(Boolean.toString(fallback));
        if (!value.equals("true") && !value.equals("false")) {
            problem(key, value, "is neither true nor false");
        }
        return value.equals("true");
    }

    void problem(String key, String value, String detail) {
        problems.add(new SettingsProblem(key, value, detail));
    }

    /** Everything that is wrong, keys that nobody asked for included. */
    List<SettingsProblem> problems() {
        List<SettingsProblem> all = new ArrayList<>(problems);
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
