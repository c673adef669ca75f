package dev.plainsail.epp.configuration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One mapping of the configuration, read key by key. Every reader notes that it knows the key, and the value in effect;
 * {@link #done} then reports the keys that nobody knows. A mistake is a problem and a usable default, so that all
 * mistakes are found at once.
 */
final class Parameters {
    private final String path;
    private final @Nullable JsonNode node;
    private final List<Problem> problems;
    private final Map<String, Object> effective = new LinkedHashMap<>();
    private final Set<String> known = new TreeSet<>();

    Parameters(String path, @Nullable JsonNode node, List<Problem> problems) {
        this.path = path;
        this.problems = problems;
        if (node == null || node.isNull() || node.isMissingNode()) {
            this.node = null;
        } else if (node.isObject()) {
            this.node = node;
        } else {
            this.node = null;
            problems.add(new Problem(path, "write key: value pairs"));
        }
    }

    String path() {
        return path;
    }

    /** What is in effect, defaults filled in, in the order in which it was asked for. */
    Map<String, Object> effective() {
        return effective;
    }

    void problem(String key, String detail) {
        problems.add(new Problem(path.isEmpty() ? key : path + "." + key, detail));
    }

    boolean has(String key) {
        return value(key) != null;
    }

    double decimal(String key, double absent, double min, double max) {
        JsonNode value = value(key);
        double number = value == null ? absent : value.isNumber() ? value.asDouble() : Double.NaN;
        if (value != null && !(number >= min && number <= max)) {
            problem(key, "'" + value.asString() + "' is no number " + range(min, max));
            number = absent;
        }
        return noted(key, number);
    }

    int whole(String key, int absent, int min, int max) {
        JsonNode value = value(key);
        if (value != null
                && !(value.isIntegralNumber()
                        && value.canConvertToInt()
                        && value.asInt() >= min
                        && value.asInt() <= max)) {
            problem(key, "'" + value.asString() + "' is no whole number " + range(min, max));
            return noted(key, absent);
        }
        return noted(key, value == null ? absent : value.asInt());
    }

    boolean flag(String key, boolean absent) {
        JsonNode value = value(key);
        if (value != null && !value.isBoolean()) {
            problem(key, "'" + value.asString() + "': write true or false");
            return noted(key, absent);
        }
        return noted(key, value == null ? absent : value.asBoolean());
    }

    /** @param absent null: the key is required */
    String text(String key, @Nullable String absent) {
        JsonNode value = value(key);
        if (value == null && absent == null) {
            problem(key, "missing");
        }
        if (value != null && !value.isValueNode()) {
            problem(key, "write one word");
        }
        String fallback = absent == null ? "" : absent;
        return noted(key, value == null || !value.isValueNode() ? fallback : value.asString());
    }

    /** A constant, written in lower case with the given separator between words. */
    <E extends Enum<E>> E word(String key, E absent, String separator) {
        JsonNode value = value(key);
        List<String> words = new ArrayList<>();
        E found = value == null ? absent : null;
        for (E constant : absent.getDeclaringClass().getEnumConstants()) {
            String word = word(constant, separator);
            words.add(word);
            if (value != null && word.equals(value.asString())) {
                found = constant;
            }
        }
        if (found == null && value != null) {
            problem(key, "'" + value.asString() + "': write one of " + String.join(", ", words));
        }
        E inEffect = found == null ? absent : found;
        noted(key, word(inEffect, separator));
        return inEffect;
    }

    private static String word(Enum<?> constant, String separator) {
        return constant.name().toLowerCase(Locale.ROOT).replace("_", separator);
    }

    /** Written as Go writes it: {@code 5s}, {@code 200ms}, {@code 1m30s}. */
    Duration duration(String key, Duration absent) {
        JsonNode value = value(key);
        Duration read = value == null ? absent : GoDuration.parse(value.asString());
        if (read == null) {
            problem(key, "'" + (value == null ? "" : value.asString()) + "' is no duration such as 5s, 200ms or 1m30s");
        }
        noted(key, GoDuration.format(read == null ? absent : read));
        return read == null ? absent : read;
    }

    List<String> texts(String key) {
        List<String> texts = new ArrayList<>();
        JsonNode value = value(key);
        if (value != null && !value.isArray()) {
            problem(key, "write a list");
        }
        if (value != null && value.isArray()) {
            value.forEach(item -> texts.add(item.asString()));
        }
        return noted(key, texts);
    }

    Map<String, String> pairs(String key) {
        Map<String, String> pairs = new LinkedHashMap<>();
        JsonNode value = value(key);
        if (value != null && !value.isObject()) {
            problem(key, "write key: value pairs");
        }
        if (value != null && value.isObject()) {
            value.properties()
                    .forEach(pair -> pairs.put(pair.getKey(), pair.getValue().asString()));
        }
        return noted(key, pairs);
    }

    /** A nested mapping; empty when it is absent. The caller must call its {@link #done}. */
    Parameters object(String key) {
        Parameters nested = new Parameters(path.isEmpty() ? key : path + "." + key, value(key), problems);
        noted(key, nested.effective);
        return nested;
    }

    /** A list of mappings; the caller must call {@link #done} of each. */
    List<Parameters> objects(String key) {
        JsonNode value = value(key);
        List<Parameters> items = new ArrayList<>();
        if (value != null && !value.isArray()) {
            problem(key, "write a list");
        }
        if (value != null && value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                String itemPath = (path.isEmpty() ? key : path + "." + key) + "[" + i + "]";
                items.add(new Parameters(itemPath, value.get(i), problems));
            }
        }
        noted(key, items.stream().map(Parameters::effective).toList());
        return items;
    }

    /** Keys that llm-d reads and that change nothing here. */
    void accepted(String... keys) {
        for (String key : keys) {
            JsonNode value = value(key);
            known.add(key);
            if (value != null) {
                effective.putIfAbsent(key, value.isValueNode() ? value.asString() : value.toString());
            }
        }
    }

    void done() {
        if (node == null) {
            return;
        }
        known.addAll(effective.keySet());
        for (String key : node.propertyNames()) {
            if (!known.contains(key)) {
                problem(
                        key,
                        "unknown; "
                                + (known.isEmpty()
                                        ? "there are no parameters"
                                        : "known are " + String.join(", ", known)));
            }
        }
    }

    /** Of the mapping as it was written; for parts that are read by somebody else. */
    @Nullable
    JsonNode raw(String key) {
        JsonNode value = value(key);
        known.add(key);
        return value;
    }

    private @Nullable JsonNode value(String key) {
        JsonNode value = node == null ? null : node.get(key);
        return value == null || value.isNull() ? null : value;
    }

    private <T> T noted(String key, T value) {
        effective.put(key, value);
        return value;
    }

    private static String range(double min, double max) {
        String low = format(min);
        return max >= Integer.MAX_VALUE ? "from " + low : "from " + low + " to " + format(max);
    }

    private static String format(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }
}
