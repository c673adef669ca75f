package dev.plainsail.epp.configuration;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One kind of plugin, under llm-d's name.
 *
 * @param experimental refused unless the picker was started with {@code --allow-experimental-plugins}
 * @param refusal why there is no such plugin here; null: there is
 */
record PluginType(
        String name,
        Set<Role> roles,
        boolean experimental,
        Factory factory,
        @Nullable String refusal) {
    /** Makes one instance, for one pool. Must read every parameter it knows; mistakes go to the parameters. */
    interface Factory {
        Object make(Parameters parameters, Surroundings surroundings);
    }

    /** What plugins may need besides their parameters. */
    record Surroundings(LongSupplier nanoTime, References references) {}

    /** Finds other plugins of the same configuration. */
    interface References {
        /** The value that a producer provides; null when there is no such plugin. */
        @Nullable
        Object find(String pluginName);
    }

    PluginType {
        roles = Set.copyOf(roles);
    }

    static PluginType plugin(String name, Factory factory, Role first, Role... more) {
        return new PluginType(name, EnumSet.of(first, more), false, factory, null);
    }

    static PluginType refused(String name, String why) {
        return new PluginType(name, Set.of(), false, (parameters, surroundings) -> why, why);
    }

    PluginType asExperimental() {
        return new PluginType(name, roles, true, factory, refusal);
    }

    boolean is(Role role) {
        return roles.contains(role);
    }
}
