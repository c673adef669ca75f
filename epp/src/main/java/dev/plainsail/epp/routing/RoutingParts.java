package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.LoadTable;
import dev.plainsail.epp.pool.Pools;
import dev.plainsail.epp.pool.SlotWatcher;
import dev.plainsail.epp.pool.Slots;
import dev.plainsail.epp.prefix.PrefixIndex;
import dev.plainsail.epp.scheduling.Scheduler;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The router with its tables, ready to be fed by endpoint sources. */
public final class RoutingParts implements AutoCloseable {
    /**
     * @param maxPrefixEntries limit of stored blocks a pool, 33 bytes each
     * @param maxPrefixBlocks deeper blocks of a prompt are not looked at
     */
    public record Options(SchedulingRouter.Options router, int maxPrefixEntries, int maxPrefixBlocks) {
        public static final Options DEFAULT = new Options(SchedulingRouter.Options.DEFAULT, 1 << 20, 2048);
    }

    private final Pools pools;
    private final LoadTable loads = new LoadTable();
    private final PoolChoice choice;
    private final SchedulingRouter router;

    private RoutingParts(Supplier<Scheduler> schedulers, Options options, LongSupplier nanoTime) {
        Slots slots = new Slots(nanoTime);
        slots.watch(loads);
        pools = new Pools(slots);
        choice = new PoolChoice(
                pools,
                pool -> new PrefixIndex(options.maxPrefixEntries(), options.maxPrefixBlocks()),
                pool -> schedulers.get());
        slots.watch(new Forgetting());
        router = new SchedulingRouter(choice, loads, options.router(), nanoTime);
    }

    /** @param schedulers makes the rules of one pool */
    public static RoutingParts start(Supplier<Scheduler> schedulers, Options options, LongSupplier nanoTime) {
        return new RoutingParts(schedulers, options, nanoTime);
    }

    public SchedulingRouter router() {
        return router;
    }

    public Pools pools() {
        return pools;
    }

    public LoadTable loads() {
        return loads;
    }

    @Override
    public void close() {}

    /** A slot's prefixes are forgotten when its owner goes, and again before the next, for decisions that were under way. */
    private final class Forgetting implements SlotWatcher {
        @Override
        public void freed(int slot) {
            choice.all().forEach(pool -> pool.prefixes().forget(slot));
        }

        @Override
        public void taken(int slot) {
            freed(slot);
        }
    }
}
