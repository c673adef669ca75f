package dev.plainsail.e2e.node;

import java.util.Map;
import java.util.Optional;

/** ConfigMaps and Secrets as bytes. Called often by pods' threads; answers from memory. */
interface ConfigObjects {

    /** Both {@code data} and {@code binaryData}; empty when there is none of that name. */
    Optional<Map<String, byte[]>> configMap(String namespace, String name);

    Optional<Map<String, byte[]>> secret(String namespace, String name);
}
