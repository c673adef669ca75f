package dev.plainsail.epp.configuration;

import java.nio.file.Path;

/**
 * Endpoints from a file. The file is always watched, so {@code watchFile} changes nothing.
 */
record FileDiscovery(Path path) {
    static FileDiscovery read(Parameters p) {
        p.accepted("watchFile");
        return new FileDiscovery(Path.of(p.text("path", null)));
    }
}
