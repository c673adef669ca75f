package dev.plainsail.dra;

import java.util.List;

/**
 * Parameters that only the driver understands; a mistake in them shows when the pod starts, not before.
 *
 * @param requests names, or {@code request/alternative}; empty means all
 * @param parameters compact JSON object with sorted keys
 */
public record DeviceConfig(List<String> requests, String driver, String parameters) {

    public DeviceConfig {
        requests = List.copyOf(requests);
    }
}
