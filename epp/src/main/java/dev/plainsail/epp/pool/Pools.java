package dev.plainsail.epp.pool;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The pools of the process by name. A pool that was seen once stays, so that an empty one answers 503 and not 404. */
public final class Pools {
    private final Slots slots;
    private final List<Consumer<EndpointPool>> watchers = new CopyOnWriteArrayList<>();
    private volatile Map<String, EndpointPool> byName = Map.of();

    public Pools(Slots slots) {
        this.slots = slots;
    }

    /** Hears of each pool before its first endpoint, also of those that exist already. */
    public synchronized void watch(Consumer<EndpointPool> watcher) {
        byName.values().forEach(watcher);
        watchers.add(watcher);
    }

    public @Nullable EndpointPool find(String name) {
        return byName.get(name);
    }

    public Collection<EndpointPool> all() {
        return byName.values();
    }

    /** The pool of that name, made when it is new. */
    public synchronized EndpointPool get(String name) {
        EndpointPool known = byName.get(name);
        if (known != null) {
            return known;
        }
        EndpointPool made = new EndpointPool(name, slots);
        watchers.forEach(watcher -> watcher.accept(made));
        Map<String, EndpointPool> all = new TreeMap<>(byName);
        all.put(name, made);
        byName = Collections.unmodifiableMap(all);
        return made;
    }
}
