package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.EngineReport;
import dev.plainsail.epp.datalayer.LoadTable;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.pool.EndpointPool;
import dev.plainsail.epp.pool.Pools;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which pool serves which model, learnt from what the engines say of themselves. Written by the scraper's thread;
 * readers see an immutable map.
 */
final class ModelDirectory {
    private final Pools pools;
    private final LoadTable loads;
    private final Map<EndpointLoad, Set<String>> byEndpoint = new WeakHashMap<>();
    private final Map<String, Long> seenVersions = new HashMap<>();
    private volatile Map<String, String> poolByModel = Map.of();

    ModelDirectory(Pools pools, LoadTable loads) {
        this.pools = pools;
        this.loads = loads;
    }

    /** The pool that serves the model; of several the first by name. null: none is known to. */
    @Nullable
    String poolOf(String model) {
        return poolByModel.get(model);
    }

    /** Whether some endpoint of every pool that has any has said what it serves. */
    boolean complete() {
        Set<String> known = Set.copyOf(poolByModel.values());
        return pools.all().stream()
                .allMatch(pool -> known.contains(pool.name())
                        && !pool.current().endpoints().isEmpty());
    }

    /** Every known model with its pool, in order of the names. */
    Map<String, String> all() {
        return poolByModel;
    }

    void report(Endpoint endpoint, EndpointLoad load, EngineReport report) {
        Set<String> models = new TreeSet<>(report.models());
        models.addAll(report.load().adapters().running());
        models.addAll(report.load().adapters().waiting());
        Set<String> before = byEndpoint.put(load, models);
        if (!models.equals(before) || poolsChanged()) {
            rebuild();
        }
    }

    private boolean poolsChanged() {
        boolean changed = false;
        for (EndpointPool pool : pools.all()) {
            Long version = pool.current().version();
            changed |= !version.equals(seenVersions.put(pool.name(), version));
        }
        return changed;
    }

    private void rebuild() {
        Map<String, String> fresh = new TreeMap<>();
        for (EndpointPool pool : pools.all()) {
            for (Endpoint endpoint : pool.current().endpoints()) {
                for (String model : byEndpoint.getOrDefault(loads.at(endpoint.slot()), Set.of())) {
                    fresh.putIfAbsent(model, pool.name());
                }
            }
        }
        poolByModel = Collections.unmodifiableMap(fresh);
    }
}
