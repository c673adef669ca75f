package dev.plainsail.epp.routing;

import dev.plainsail.epp.pool.EndpointPool;
import dev.plainsail.epp.prefix.PrefixIndex;
import dev.plainsail.epp.scheduling.Scheduler;

/** What one pool needs to decide: its endpoints, who holds which prefix, and the rules, which may be swapped at any time. */
final class PoolRouting {
    private final EndpointPool pool;
    private final PrefixIndex prefixes;
    private volatile Scheduler scheduler;

    PoolRouting(EndpointPool pool, PrefixIndex prefixes, Scheduler scheduler) {
        this.pool = pool;
        this.prefixes = prefixes;
        this.scheduler = scheduler;
    }

    EndpointPool pool() {
        return pool;
    }

    PrefixIndex prefixes() {
        return prefixes;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    void scheduler(Scheduler replacement) {
        scheduler = replacement;
    }
}
