package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.EngineReport;
import dev.plainsail.epp.datalayer.LoadTable;
import dev.plainsail.epp.datalayer.ModelLists;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.pool.EndpointPool;
import dev.plainsail.epp.pool.Pools;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Which pool serves which model, learnt from what the engines say of themselves: in their metrics, and in their lists of
 * models where they are asked for them. Written by few threads, one at a time; readers see an immutable map.
 */
final class ModelDirectory {
    private final Pools pools;
    private final LoadTable loads;
    private final Map<EndpointLoad, Set<String>> byEndpoint = new WeakHashMap<>();
    private final Map<EndpointLoad, Map<String, String>> listings = new WeakHashMap<>();
    private final Map<String, Long> seenVersions = new HashMap<>();
    private volatile Map<String, Served> byModel = Map.of();

    /** @param entry as an engine lists it */
    private record Served(String pool, String entry) {}

    ModelDirectory(Pools pools, LoadTable loads) {
        this.pools = pools;
        this.loads = loads;
    }

    /** The pool that serves the model; of several the first by name. null: none is known to. */
    @Nullable
    String poolOf(String model) {
        Served served = byModel.get(model);
        return served == null ? null : served.pool();
    }

    /** Whether some endpoint of every pool that has any has said what it serves. */
    boolean complete() {
        Set<String> known = byModel.values().stream().map(Served::pool).collect(Collectors.toSet());
        return pools.all().stream()
                .allMatch(pool -> known.contains(pool.name())
                        && !pool.current().endpoints().isEmpty());
    }

    /** Every known model with its pool, in order of the names. */
    Map<String, String> all() {
        Map<String, String> all = new TreeMap<>();
        byModel.forEach((model, served) -> all.put(model, served.pool()));
        return all;
    }

    /** The models of all pools as an engine would list its own. */
    String json() {
        StringJoiner entries = new StringJoiner(",", "{\"object\":\"list\",\"data\":[", "]}");
        byModel.values().forEach(served -> entries.add(served.entry()));
        return entries.toString();
    }

    synchronized void report(Endpoint endpoint, EndpointLoad load, EngineReport report) {
        Set<String> models = new TreeSet<>(report.models());
        models.addAll(report.load().adapters().running());
        models.addAll(report.load().adapters().waiting());
        Set<String> before = byEndpoint.put(load, models);
        if (!models.equals(before) || poolsChanged()) {
            rebuild();
        }
    }

    synchronized void list(ModelLists.Listing listing) {
        Map<String, String> before = listings.put(listing.load(), listing.models());
        if (!listing.models().equals(before)) {
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
        Map<String, Served> fresh = new TreeMap<>();
        for (EndpointPool pool : pools.all()) {
            for (Endpoint endpoint : pool.current().endpoints()) {
                EndpointLoad load = loads.at(endpoint.slot());
                listings.getOrDefault(load, Map.of())
                        .forEach((model, entry) -> fresh.putIfAbsent(model, new Served(pool.name(), entry)));
                for (String model : byEndpoint.getOrDefault(load, Set.of())) {
                    fresh.putIfAbsent(model, new Served(pool.name(), entry(model)));
                }
            }
        }
        byModel = Collections.unmodifiableMap(fresh);
    }

    /** Of a model that is known from metrics only. */
    private static String entry(String model) {
        ObjectNode entry = JsonMapper.shared().createObjectNode();
        return entry.put("id", model)
                .put("object", "model")
                .put("created", 0)
                .put("owned_by", "plainsail")
                .toString();
    }
}
