package dev.plainsail.epp.configuration;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A plugin as configured, or as added by us.
 *
 * @param path of its entry; a word in brackets for one that we added
 */
record PluginSpec(String name, PluginType type, @Nullable JsonNode parameters, String path) {}
