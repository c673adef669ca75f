package dev.plainsail.e2e.envoy;

import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Major and minor: what decides whether an Envoy understands our configuration. */
record EnvoyVersion(int major, int minor) implements Comparable<EnvoyVersion> {
    /**
     * The first that has everything in the configuration that we ship. The newest of it is the external processor's
     * {@code status_on_error}; full duplex bodies and early header mutation are older.
     */
    static final EnvoyVersion OLDEST = new EnvoyVersion(1, 36);

    /** As in {@code envoy  version: 9e55.../1.40.0/Clean/RELEASE/BoringSSL}. */
    private static final Pattern PRINTED = Pattern.compile("[0-9a-f]+/(\\d{1,4})\\.(\\d{1,4})\\.\\d{1,4}[^/]*/");

    static Optional<EnvoyVersion> printed(String text) {
        Matcher matcher = PRINTED.matcher(text);
        return matcher.find()
                ? Optional.of(new EnvoyVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                : Optional.empty();
    }

    boolean isNewEnough() {
        return compareTo(OLDEST) >= 0;
    }

    @Override
    public int compareTo(EnvoyVersion other) {
        return Comparator.comparingInt(EnvoyVersion::major)
                .thenComparingInt(EnvoyVersion::minor)
                .compare(this, other);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
