package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.plan.Annotations.Alias;
import dev.plainsail.webhook.plan.Annotations.Input;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Judges the keys themselves: unknown ones, look-alikes, sizes. */
final class Vocabulary {

    private static final int VALUE_BYTES = 32 * 1024;
    private static final int TOTAL_BYTES = 64 * 1024;
    private static final int NAME_LENGTH = 63;
    private static final Map<String, String> LOOK_ALIKES = Map.of(
            "serving.kserve.io/dra-device-class", Alias.DEVICE_CLASS.key(),
            "serving.kserve.io/dra-device-count", Alias.DEVICE_COUNT.key(),
            "serving.kserve.io/dra-gpu-count", Alias.DEVICE_COUNT.key(),
            "serving.kserve.io/dra-cel-selector", Alias.CEL_SELECTOR.key(),
            "serving.kserve.io/dra-container-name", Alias.CONTAINER_NAME.key());

    private Vocabulary() {}

    /** @param all every annotation of the pod, other people's too */
    static void check(Map<String, Written> written, Map<String, String> all, Problems problems) {
        long total = 0;
        for (Map.Entry<String, Written> entry : written.entrySet()) {
            String key = entry.getKey();
            Written value = entry.getValue();
            long bytes = value.value().getBytes(StandardCharsets.UTF_8).length;
            total += bytes;
            if (bytes > VALUE_BYTES) {
                problems.refuse(
                        Reason.TOO_LONG, value, "", "has " + bytes + " bytes, at most " + VALUE_BYTES + " are allowed");
            }
            if (key.startsWith(Annotations.PREFIX) && Input.of(key).isEmpty() && !Annotations.OUTPUTS.contains(key)) {
                problems.refuse(Reason.UNKNOWN_KEY, value, key, "there is no such annotation" + suggestion(key));
            }
        }
        if (total > TOTAL_BYTES) {
            problems.refuseField(
                    Reason.TOO_LONG,
                    "metadata.annotations",
                    "",
                    "the plainsail.dev annotations have " + total + " bytes, at most " + TOTAL_BYTES + " are allowed");
        }
        all.keySet()
                .forEach(key -> lookAlike(key)
                        .ifPresent(meant -> problems.warnField(
                                Caution.LOOK_ALIKE,
                                "metadata.annotations[" + key + "]",
                                "is not read by Plainsail; did you mean " + meant + "?")));
    }

    private static String suggestion(String key) {
        String name = key.substring(Annotations.PREFIX.length());
        List<String> names = new ArrayList<>();
        for (Input input : Input.values()) {
            names.add(input.key().substring(Annotations.PREFIX.length()));
        }
        if (name.length() > NAME_LENGTH) {
            return "; known ones are " + String.join(", ", names);
        }
        return Nearest.of(name, names)
                .map(near -> "; did you mean " + Annotations.PREFIX + near + "?")
                .orElse("; known ones are " + String.join(", ", names));
    }

    /** Another prefix with a name of ours, as a slip of the pen would make it. */
    private static Optional<String> lookAlike(String key) {
        if (Annotations.isOurs(key)) {
            return Optional.empty();
        }
        String known = LOOK_ALIKES.get(key);
        if (known != null) {
            return Optional.of(known);
        }
        int slash = key.indexOf('/');
        String prefix = slash < 0 ? "" : key.substring(0, slash);
        String name = key.substring(slash + 1);
        if (!prefix.contains("plainsail")
                && (prefix.isEmpty()
                        || prefix.length() > NAME_LENGTH
                        || Nearest.distance(prefix, "plainsail.dev") > 2)) {
            return Optional.empty();
        }
        return Input.of(Annotations.PREFIX + name).map(Input::key);
    }
}
