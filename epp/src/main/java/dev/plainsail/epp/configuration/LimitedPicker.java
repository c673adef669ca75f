package dev.plainsail.epp.configuration;

import dev.plainsail.epp.scheduling.Picker;

/** A picker with the number of endpoints that it is to name. */
record LimitedPicker(Picker picker, int limit) {}
