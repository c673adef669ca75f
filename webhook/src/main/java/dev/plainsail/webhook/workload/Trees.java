package dev.plainsail.webhook.workload;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import tools.jackson.databind.JsonNode;

/** Tolerant reading of trees: what has the wrong shape is absent. */
public final class Trees {

    private static final BigDecimal LARGEST = BigDecimal.valueOf(Integer.MAX_VALUE);

    private Trees() {}

    /** The text at this field, or "" if there is none. */
    public static String text(JsonNode object, String field) {
        JsonNode node = object.path(field);
        return node.isString() ? node.stringValue() : "";
    }

    /** A whole number, however it is spelled in JSON: {@code 2}, {@code 2.0}, {@code 2e0}. */
    public static OptionalInt whole(JsonNode node) {
        if (!node.isNumber()) {
            return OptionalInt.empty();
        }
        BigDecimal number = node.decimalValue();
        return number.stripTrailingZeros().scale() <= 0 && number.abs().compareTo(LARGEST) <= 0
                ? OptionalInt.of(number.intValue())
                : OptionalInt.empty();
    }

    /** The texts of an array, other elements left out. */
    public static List<String> texts(JsonNode array) {
        List<String> result = new ArrayList<>();
        if (array.isArray()) {
            array.forEach(element -> {
                if (element.isString()) {
                    result.add(element.stringValue());
                }
            });
        }
        return result;
    }

    /** The fields whose values are texts, in order. */
    public static Map<String, String> textMap(JsonNode object) {
        Map<String, String> result = new LinkedHashMap<>();
        if (object.isObject()) {
            object.properties().forEach(field -> {
                if (field.getValue().isString()) {
                    result.put(field.getKey(), field.getValue().stringValue());
                }
            });
        }
        return result;
    }
}
