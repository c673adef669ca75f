package dev.plainsail.epp.configuration;

/**
 * A mistake of who wrote the configuration.
 *
 * @param path where, as {@code plugins[2].parameters.blockSize}
 * @param detail what is wrong and what to write instead
 */
public record Problem(String path, String detail) {
    @Override
    public String toString() {
        return path + ": " + detail;
    }
}
