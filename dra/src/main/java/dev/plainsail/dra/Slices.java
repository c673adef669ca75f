package dev.plainsail.dra;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Devices out of {@code resource.k8s.io/v1} ResourceSlices, as the scheduler reads them: of each pool only the newest
 * generation, and only if all its slices are there.
 */
public final class Slices {

    private Slices() {}

    /** In the order of the slices. Fields of the wrong shape count as absent. */
    public static List<Device> devices(List<JsonNode> slices) {
        Map<String, Long> newest = new HashMap<>();
        Map<String, Integer> present = new HashMap<>();
        for (JsonNode slice : slices) {
            newest.merge(pool(slice), generation(slice), Math::max);
        }
        for (JsonNode slice : slices) {
            if (isNewest(slice, newest)) {
                present.merge(pool(slice), 1, Integer::sum);
            }
        }
        List<Device> devices = new ArrayList<>();
        for (JsonNode slice : slices) {
            JsonNode spec = slice.path("spec");
            int wanted = spec.path("pool").path("resourceSliceCount").asInt(1);
            if (isNewest(slice, newest) && present.getOrDefault(pool(slice), 0) == wanted) {
                spec.path("devices").valueStream().forEach(device -> devices.add(device(spec, device)));
            }
        }
        return devices;
    }

    private static String pool(JsonNode slice) {
        JsonNode spec = slice.path("spec");
        return spec.path("driver").asString("") + "/"
                + spec.path("pool").path("name").asString("");
    }

    private static long generation(JsonNode slice) {
        return slice.path("spec").path("pool").path("generation").asLong(0);
    }

    private static boolean isNewest(JsonNode slice, Map<String, Long> newest) {
        return Long.valueOf(generation(slice)).equals(newest.get(pool(slice)));
    }

    private static Device device(JsonNode spec, JsonNode device) {
        Map<String, Device.Value> attributes = new LinkedHashMap<>();
        if (device.path("attributes").isObject()) {
            device.path("attributes")
                    .properties()
                    .forEach(
                            field -> value(field.getValue()).ifPresent(value -> attributes.put(field.getKey(), value)));
        }
        Map<String, Quantity> capacity = new LinkedHashMap<>();
        if (device.path("capacity").isObject()) {
            device.path("capacity")
                    .properties()
                    .forEach(field -> Quantity.parse(
                                    field.getValue().path("value").asString(""))
                            .ifPresent(quantity -> capacity.put(field.getKey(), quantity)));
        }
        String node = spec.path("nodeName").asString(device.path("nodeName").asString(""));
        return new Device(
                spec.path("driver").asString(""),
                spec.path("pool").path("name").asString(""),
                device.path("name").asString(""),
                node.isEmpty() ? Optional.empty() : Optional.of(node),
                attributes,
                capacity,
                device.path("allowMultipleAllocations").asBoolean(false));
    }

    private static Optional<Device.Value> value(JsonNode node) {
        if (node.path("string").isString()) {
            return Optional.of(new Device.Value.Text(node.path("string").stringValue()));
        }
        if (node.path("version").isString()) {
            return Optional.of(new Device.Value.Version(node.path("version").stringValue()));
        }
        if (node.path("int").isIntegralNumber()) {
            return Optional.of(new Device.Value.Whole(node.path("int").longValue()));
        }
        if (node.path("bool").isBoolean()) {
            return Optional.of(new Device.Value.Flag(node.path("bool").booleanValue()));
        }
        return many(node);
    }

    private static Optional<Device.Value> many(JsonNode node) {
        for (String kind : List.of("strings", "ints", "bools", "versions")) {
            if (node.path(kind).isArray()) {
                List<Device.Value> values = new ArrayList<>();
                String single = kind.substring(0, kind.length() - 1);
                node.path(kind).forEach(element -> {
                    var one = ClaimJson.NODES.objectNode();
                    one.set(single, element);
                    value(one).ifPresent(values::add);
                });
                return Optional.of(new Device.Value.Many(values));
            }
        }
        return Optional.empty();
    }
}
