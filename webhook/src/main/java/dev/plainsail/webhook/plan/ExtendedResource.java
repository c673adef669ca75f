package dev.plainsail.webhook.plan;

import dev.plainsail.dra.DeviceSelection;
import java.util.List;
import java.util.Optional;

/**
 * A device-plugin resource and the DeviceClass that holds the same devices.
 *
 * @param pattern resource name; a trailing {@code *} stands for any rest
 * @param selectors CEL; {@code {}} in them is replaced by that rest
 */
public record ExtendedResource(String pattern, String deviceClass, List<String> selectors, Mode mode) {

    /** What {@code devices: auto} does with a limit on it. */
    public enum Mode {
        /** Nothing: the limit is the request, by the device plugin or by the class's extendedResourceName. */
        NATIVE,
        /** A claim instead of the limit. */
        CONVERT
    }

    public ExtendedResource {
        selectors = List.copyOf(selectors);
    }

    static ExtendedResource of(String resource, String deviceClass) {
        return new ExtendedResource(resource, deviceClass, List.of(), Mode.NATIVE);
    }

    /** The part that {@code *} stands for; empty text for an exact name, nothing if the name does not match. */
    Optional<String> rest(String resource) {
        if (!pattern.endsWith("*")) {
            return pattern.equals(resource) ? Optional.of("") : Optional.empty();
        }
        String head = pattern.substring(0, pattern.length() - 1);
        return resource.startsWith(head) && resource.length() > head.length()
                ? Optional.of(resource.substring(head.length()))
                : Optional.empty();
    }

    public boolean matches(String resource) {
        return rest(resource).isPresent();
    }

    /** The same devices as a claim's selection. MIG's {@code 1g.10gb.me} is the driver's {@code 1g.10gb+me}. */
    public DeviceSelection selection(String resource, long count) {
        String rest = rest(resource).orElseThrow().replaceFirst("\\.me$", "+me");
        String[] filled =
                selectors.stream().map(selector -> selector.replace("{}", rest)).toArray(String[]::new);
        return DeviceSelection.of(deviceClass, count, filled);
    }
}
