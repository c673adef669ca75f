package dev.plainsail.e2e.webhook;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files that users apply, where they lie in the repository. */
public final class ShippedManifests {
    private ShippedManifests() {}

    public static Path folder() {
        for (Path here = Path.of("").toAbsolutePath(); here != null; here = here.getParent()) {
            if (Files.isDirectory(here.resolve("manifests/base"))) {
                return here.resolve("manifests");
            }
        }
        throw new IllegalStateException("run from inside the repository");
    }

    public static String text(String path) {
        try {
            return Files.readString(folder().resolve(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
