package dev.plainsail.epp;

import dev.plainsail.epp.pool.PoolSelector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the command line and the environment say, checked. Made by {@link Flags}.
 *
 * @param bindHost address that all ports are bound to; null: every one
 * @param certPath folder with tls.crt and tls.key; null: a certificate is made at start
 * @param configFile that the configuration was read from, to be read again; null: it was given as text, or not at all
 * @param configText an EndpointPickerConfig; null: the built-in one
 * @param allowExperimental whether the configuration may name plugins that llm-d calls Alpha
 * @param namespace that pods are watched in; null: all
 * @param endpointsFile null: none
 * @param warmUp longest time spent on streams of its own before readiness; zero: none
 * @param explain whether clients may ask why an endpoint was chosen
 * @param decisionLogShare of the requests whose decision is logged, 0 to 1
 * @param engineTokenFile bearer token for engines; null: none is sent
 * @param withoutEffect flags of llm-d that were given and mean nothing here
 */
public record Settings(
        @Nullable String bindHost,
        int grpcPort,
        int healthPort,
        int metricsPort,
        boolean secureServing,
        @Nullable Path certPath,
        @Nullable Path configFile,
        @Nullable String configText,
        boolean allowExperimental,
        boolean kubernetes,
        @Nullable String namespace,
        List<PoolSelector> pools,
        @Nullable Path endpointsFile,
        String defaultPool,
        long maxBodyBytes,
        long maxHeldBytes,
        Duration decisionTimeout,
        Duration drainTimeout,
        Duration warmUp,
        boolean endpointHeader,
        boolean responseUsage,
        boolean explain,
        double decisionLogShare,
        @Nullable Path engineTokenFile,
        int eventLoops,
        long seed,
        boolean validateOnly,
        List<String> withoutEffect) {

    public Settings {
        pools = List.copyOf(pools);
        withoutEffect = List.copyOf(withoutEffect);
    }
}
