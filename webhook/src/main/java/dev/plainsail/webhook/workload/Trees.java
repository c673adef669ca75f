package dev.plainsail.webhook.workload;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Tolerant reading of trees: what has the wrong shape is absent. */
public final class Trees {

    private Trees() {}

    /** The text at this field, or "" if there is none. */
    public static String text(JsonNode object, String field) {
        JsonNode node = object.path(field);
        return node.isString() ? node.stringValue() : "";
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
