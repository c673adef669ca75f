package dev.plainsail.e2e.node;

import java.nio.file.Path;

/** Where a pod lives: its node, its own address, its folder with volumes, logs and the containers' working folders. */
record PodPlace(String nodeIp, String podIp, Path folder) {

    Path logs() {
        return folder.resolve("logs");
    }

    Path volumes() {
        return folder.resolve("volumes");
    }

    /** A container's own folder: where it starts when its image's folder does not exist here. */
    Path container(String name) {
        return folder.resolve("containers").resolve(name);
    }
}
