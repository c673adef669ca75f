package dev.plainsail.dra.cel;

import dev.plainsail.dra.Device;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A device as the values that an expression sees. */
final class DeviceValues {

    private DeviceValues() {}

    /** The driver published a version that is none; for the scheduler, too, an error of the expression. */
    static final class BadVersionException extends RuntimeException {
        BadVersionException(String message) {
            super(message, null, false, false);
        }
    }

    static Map<String, Object> of(Device device) {
        Map<String, Map<String, Object>> attributes = new HashMap<>();
        device.attributes().forEach((name, value) -> put(attributes, device.driver(), name, value(name, value)));
        Map<String, Map<String, Object>> capacity = new HashMap<>();
        device.capacity().forEach((name, quantity) -> put(capacity, device.driver(), name, quantity));
        return Map.of(
                "driver",
                device.driver(),
                "attributes",
                new Domains(attributes),
                "capacity",
                new Domains(capacity),
                "allowMultipleAllocations",
                device.allowMultipleAllocations());
    }

    private static void put(Map<String, Map<String, Object>> domains, String driver, String name, Object value) {
        int slash = name.indexOf('/');
        String domain = slash < 0 ? driver : name.substring(0, slash);
        domains.computeIfAbsent(domain, key -> new HashMap<>()).put(name.substring(slash + 1), value);
    }

    private static Object value(String name, Device.Value value) {
        return switch (value) {
            case Device.Value.Whole(long number) -> number;
            case Device.Value.Flag(boolean flag) -> flag;
            case Device.Value.Text(String text) -> text;
            case Device.Value.Version(String text) ->
                Semver.parse(text)
                        .orElseThrow(() ->
                                new BadVersionException("attribute " + name + ": " + text + " is no semantic version"));
            case Device.Value.Many many ->
                many.values().stream().map(element -> value(name, element)).toList();
        };
    }

    /** A domain that is not there is an empty map, but {@code in} tells the truth. */
    private static final class Domains extends AbstractMap<String, Map<String, Object>> {
        private final Map<String, Map<String, Object>> domains;

        Domains(Map<String, Map<String, Object>> domains) {
            this.domains = domains;
        }

        @Override
        public Map<String, Object> get(Object domain) {
            return domains.getOrDefault(domain, Map.of());
        }

        @Override
        public boolean containsKey(Object domain) {
            return domains.containsKey(domain);
        }

        @Override
        public Set<Entry<String, Map<String, Object>>> entrySet() {
            return domains.entrySet();
        }
    }
}
