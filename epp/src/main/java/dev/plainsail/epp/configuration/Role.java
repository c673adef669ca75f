package dev.plainsail.epp.configuration;

import java.util.Locale;

/** What a plugin may be referred to as. */
enum Role {
    PROFILE_HANDLER,
    FILTER,
    SCORER,
    PICKER,
    PRODUCER,
    DETECTOR,
    ADMITTER,
    DATA_SOURCE,
    EXTRACTOR,
    DISCOVERY,
    PARSER,
    /** Known, and of no effect here, because what it chooses is always so. */
    FIXED;

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
