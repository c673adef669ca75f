package dev.plainsail.epp;

import dev.plainsail.epp.configuration.PickerConfiguration;
import dev.plainsail.epp.configuration.PrefixOptions;
import dev.plainsail.epp.datalayer.EngineAccess;
import dev.plainsail.epp.pool.EndpointSource;
import dev.plainsail.epp.pool.FileSource;
import dev.plainsail.epp.pool.InferenceSource;
import dev.plainsail.epp.pool.PodSource;
import dev.plainsail.epp.pool.PoolSelector;
import dev.plainsail.epp.routing.Outcomes;
import dev.plainsail.epp.routing.Router;
import dev.plainsail.epp.routing.RoutingParts;
import dev.plainsail.epp.routing.SchedulingRouter;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything behind the {@link Router}: endpoints, their loads, prefixes and rules, with the threads that keep them true. */
public final class Picking implements AutoCloseable {
    /**
     * Where endpoints come from.
     *
     * @param kubernetes whether to watch pods; needs a kubeconfig or a pod's service account
     * @param namespace that pods are watched in; null: all
     * @param selectors pools besides those that pods name by label
     * @param endpointsFile null: the one that the configuration discovers endpoints from, if any
     * @param defaultPool of the file's endpoints without a pool label
     */
    public record Sources(
            boolean kubernetes,
            @Nullable String namespace,
            List<PoolSelector> selectors,
            @Nullable Path endpointsFile,
            String defaultPool) {
        public Sources {
            selectors = List.copyOf(selectors);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(Picking.class);

    /** Blocks stored for each pool at most: 33 bytes each. */
    private static final int MAX_PREFIX_ENTRIES = 1 << 20;

    private final RoutingParts routing;
    private final List<EndpointSource> sources = new ArrayList<>();
    private final @Nullable KubernetesClient client;
    private final LongSupplier nanoTime;
    private volatile PickerConfiguration configuration;

    private Picking(
            RoutingParts routing,
            @Nullable KubernetesClient client,
            PickerConfiguration configuration,
            LongSupplier nanoTime) {
        this.routing = routing;
        this.configuration = configuration;
        this.nanoTime = nanoTime;
        this.client = client;
    }

    public static Picking start(
            PickerConfiguration configuration,
            Sources from,
            SchedulingRouter.Options router,
            EngineAccess access,
            LongSupplier nanoTime) {
        configuration.warnings().forEach(LOG::warn);
        PrefixOptions prefixes = configuration.prefixes();
        RoutingParts.Options options = new RoutingParts.Options(
                router,
                configuration.scraping(),
                MAX_PREFIX_ENTRIES,
                prefixes.maxBlocks(),
                prefixes.capacityBlocks(),
                prefixes.learnt(),
                access);
        RoutingParts routing = RoutingParts.start(() -> configuration.scheduler(nanoTime), options, nanoTime);
        // As in llm-d, a file takes the place of the cluster.
        Path file = from.endpointsFile() == null ? configuration.endpointsFile().orElse(null) : from.endpointsFile();
        KubernetesClient client = from.kubernetes() && file == null ? client() : null;
        Picking picking = new Picking(routing, client, configuration, nanoTime);
        if (client != null) {
            picking.sources.add(PodSource.start(client, from.namespace(), from.selectors(), routing.pools()));
            picking.sources.add(
                    InferenceSource.start(client, from.namespace(), routing.pools(), routing.router()::rules));
        }
        if (file != null) {
            picking.sources.add(FileSource.start(file, from.defaultPool(), routing.pools()));
        }
        return picking;
    }

    /** Watches end when the connection does; {@link PodSource} decides itself how to go on. */
    private static KubernetesClient client() {
        Config config = new ConfigBuilder(Config.autoConfigure(null))
                .withWatchReconnectLimit(0)
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    public Router router() {
        return routing.router();
    }

    public Outcomes outcomes() {
        return routing.router();
    }

    /** Whether every source has shown the whole truth once: before that, an empty pool means nothing. */
    public boolean synced() {
        return sources.stream().allMatch(EndpointSource::synced);
    }

    /** Of the source that was heard longest ago. */
    public long secondsSinceHeard() {
        return sources.stream()
                .mapToLong(EndpointSource::secondsSinceHeard)
                .max()
                .orElse(0);
    }

    /** Other rules for all pools from now on. What the sources and the scraper were started with stays. */
    public void reconfigure(PickerConfiguration replacement) {
        replacement.warnings().forEach(LOG::warn);
        routing.rules(() -> replacement.scheduler(nanoTime));
        configuration = replacement;
    }

    /** The configuration in effect. */
    public PickerConfiguration configuration() {
        return configuration;
    }

    /** The pools, their endpoints and loads, for metrics and the admin page. */
    public RoutingParts routing() {
        return routing;
    }

    @Override
    public void close() {
        sources.forEach(EndpointSource::close);
        routing.close();
        if (client != null) {
            client.close();
        }
    }
}
