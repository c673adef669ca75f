package dev.plainsail.webhook.planner;

import dev.plainsail.dra.Device;
import dev.plainsail.dra.Quantity;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the devices offer instead, in those attributes and capacities that a condition names. */
final class NearestMiss {

    private static final Pattern NAME = Pattern.compile(
            "device\\.(attributes|capacity)\\[\\s*[\"']([^\"']+)[\"']\\s*\\]\\s*\\.\\s*\\??([A-Za-z_][A-Za-z0-9_]*)");
    private static final int SHOWN = 4;

    private NearestMiss() {}

    /** As {@code productName is 'L40S'}; empty if the condition names nothing that a device has. */
    static Optional<String> of(String expression, List<Device> devices) {
        List<String> parts = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        Matcher matcher = NAME.matcher(expression);
        while (matcher.find()) {
            if (seen.add(matcher.group())) {
                Set<String> values = values(matcher.group(1), matcher.group(2), matcher.group(3), devices);
                if (!values.isEmpty()) {
                    parts.add(matcher.group(3) + " is " + shown(values));
                }
            }
        }
        return parts.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", parts));
    }

    private static Set<String> values(String kind, String domain, String name, List<Device> devices) {
        Set<String> values = new LinkedHashSet<>();
        for (Device device : devices) {
            String bare = device.driver().equals(domain) ? name : "";
            if (kind.equals("attributes")) {
                Device.Value value = device.attributes().get(domain + "/" + name);
                value = value == null ? device.attributes().get(bare) : value;
                if (value != null) {
                    values.add(value.shown());
                }
            } else {
                Quantity value = device.capacity().get(domain + "/" + name);
                value = value == null ? device.capacity().get(bare) : value;
                if (value != null) {
                    values.add(value.toString());
                }
            }
        }
        return values;
    }

    private static String shown(Set<String> values) {
        List<String> first = values.stream().limit(SHOWN).toList();
        return String.join(" or ", first) + (values.size() > SHOWN ? " or others" : "");
    }
}
