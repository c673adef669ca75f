package dev.plainsail.epp.configuration;

/** Which profile handles a request. {@link Nothing} stands for plugins that have no object of their own. */
sealed interface Handler {
    Handler SINGLE = new Single();
    Handler NOTHING = new Nothing();

    /** The only profile. */
    record Single() implements Handler {}

    /** @param header in lower case */
    record ByHeader(String header, String defaultProfile) implements Handler {}

    record Nothing() implements Handler {}
}
