package dev.plainsail.epp.configuration;

import java.util.List;

/** A profile as configured, its picker filled in. */
record ProfileSpec(String name, List<Reference> references) {
    /** @param weight of a scorer; nothing to others */
    record Reference(String plugin, double weight) {}

    ProfileSpec {
        references = List.copyOf(references);
    }
}
