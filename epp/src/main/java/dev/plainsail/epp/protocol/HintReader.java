package dev.plainsail.epp.protocol;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the few values of interest out of {@code metadata_context} and {@code attributes}. The subset is taken in every
 * form that gateways send: a list of texts, one text with commas, elements with commas, blanks around them.
 */
final class HintReader {
    static final String DESTINATION = "x-gateway-destination-endpoint";

    private static final String SUBSET_SPACE = "envoy.lb.subset_hint";
    private static final String SUBSET = DESTINATION + "-subset";
    private static final String BALANCER_SPACE = "envoy.lb";
    private static final String SERVED = DESTINATION + "-served";
    private static final String OWN_SPACE = "dev.plainsail";
    static final String POOL = "pool";
    private static final String ATTRIBUTES = "envoy.filters.http.ext_proc";
    private static final String UPSTREAM = "upstream.address";

    private @Nullable List<String> subset;
    private @Nullable String pool;
    private @Nullable String served;

    FromProxy.Hints hints() {
        return subset == null && pool == null && served == null
                ? FromProxy.Hints.NONE
                : new FromProxy.Hints(subset, pool, served);
    }

    /** {@code envoy.config.core.v3.Metadata}. */
    void metadata(WireReader metadata) {
        while (metadata.next()) {
            if (metadata.field() == 1 && metadata.isBytes()) {
                space(metadata.message());
            } else {
                metadata.skip();
            }
        }
    }

    /** One entry of a map from text to {@code google.protobuf.Struct}; attributes have the same shape. */
    void space(WireReader entry) {
        WireReader struct = entry.entryValue();
        if (struct == null) {
            return;
        }
        switch (entry.entryKey()) {
            case SUBSET_SPACE, BALANCER_SPACE, OWN_SPACE, ATTRIBUTES -> struct(entry.entryKey(), struct);
            default -> {}
        }
    }

    private void struct(String space, WireReader struct) {
        while (struct.next()) {
            if (struct.field() != 1 || !struct.isBytes()) {
                struct.skip();
                continue;
            }
            WireReader entry = struct.message();
            WireReader value = entry.entryValue();
            if (value != null) {
                value(space, entry.entryKey(), value);
            }
        }
    }

    private void value(String space, String key, WireReader value) {
        if (space.equals(SUBSET_SPACE) && key.equals(SUBSET)) {
            List<String> entries = new ArrayList<>();
            collect(value, entries);
            subset = List.copyOf(entries);
        } else if (space.equals(BALANCER_SPACE) && key.equals(SERVED)) {
            served = first(value);
        } else if (space.equals(OWN_SPACE) && key.equals(POOL)) {
            pool = first(value);
        } else if (space.equals(ATTRIBUTES) && key.equals(UPSTREAM) && served == null) {
            served = first(value);
        }
    }

    private static @Nullable String first(WireReader value) {
        List<String> entries = new ArrayList<>();
        collect(value, entries);
        return entries.isEmpty() ? null : entries.getFirst();
    }

    /** The texts of a {@code google.protobuf.Value}. */
    private static void collect(WireReader value, List<String> into) {
        while (value.next()) {
            if (value.field() == 3 && value.isBytes()) {
                split(value.text(), into);
            } else if (value.field() == 6 && value.isBytes()) {
                WireReader list = value.message();
                while (list.next()) {
                    if (list.field() == 1 && list.isBytes()) {
                        collect(list.message(), into);
                    } else {
                        list.skip();
                    }
                }
            } else {
                value.skip();
            }
        }
    }

    private static void split(String text, List<String> into) {
        for (String part : text.split(",", -1)) {
            String entry = part.strip();
            if (!entry.isEmpty()) {
                into.add(entry);
            }
        }
    }
}
