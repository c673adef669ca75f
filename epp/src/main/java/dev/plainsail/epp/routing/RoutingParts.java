package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.EngineAccess;
import dev.plainsail.epp.datalayer.LoadTable;
import dev.plainsail.epp.datalayer.ModelLists;
import dev.plainsail.epp.datalayer.Scraper;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.pool.EndpointPool;
import dev.plainsail.epp.pool.Pools;
import dev.plainsail.epp.pool.SlotWatcher;
import dev.plainsail.epp.pool.Slots;
import dev.plainsail.epp.prefix.BlockHashes;
import dev.plainsail.epp.prefix.PrefixIndex;
import dev.plainsail.epp.scheduling.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The router with its tables, ready to be fed by endpoint sources. */
public final class RoutingParts implements AutoCloseable {
    /**
     * @param maxPrefixEntries limit of stored blocks a pool, 33 bytes each
     * @param maxPrefixBlocks deeper blocks of a prompt are not looked at
     * @param prefixCapacityBlocks that an endpoint is taken to hold, while its engine does not say
     * @param learnCapacity whether the engine's number of KV blocks limits what it is believed to hold
     * @param access what engines want to see before they tell anything
     */
    public record Options(
            SchedulingRouter.Options router,
            Scraper.Options scraping,
            int maxPrefixEntries,
            int maxPrefixBlocks,
            int prefixCapacityBlocks,
            boolean learnCapacity,
            EngineAccess access) {
        public static final Options DEFAULT = new Options(
                SchedulingRouter.Options.DEFAULT,
                Scraper.Options.DEFAULT,
                1 << 20,
                2048,
                PrefixIndex.DEFAULT_CAPACITY_BLOCKS,
                true,
                EngineAccess.OPEN);
    }

    private static final Logger LOG = LoggerFactory.getLogger(RoutingParts.class);

    private final LongSupplier nanoTime;
    private final Pools pools;
    private final LoadTable loads;
    private final ModelDirectory models;
    private final PoolChoice choice;
    private final SchedulingRouter router;
    private final AtomicReference<Supplier<Scheduler>> current;
    private final Scrapes scrapes;
    private LongSupplier scrapeFailures = () -> 0;
    private final List<AutoCloseable> running = new ArrayList<>();

    private RoutingParts(Supplier<Scheduler> schedulers, Options options, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        current = new AtomicReference<>(schedulers);
        Slots slots = new Slots(nanoTime);
        loads = new LoadTable(nanoTime);
        slots.watch(loads);
        pools = new Pools(slots);
        models = new ModelDirectory(pools, loads);
        choice = new PoolChoice(
                pools,
                models,
                pool -> new PrefixIndex(
                        options.maxPrefixEntries(), options.maxPrefixBlocks(), options.prefixCapacityBlocks()),
                pool -> current.get().get());
        slots.watch(new Forgetting());
        router = new SchedulingRouter(choice, loads, options.router(), nanoTime);
        scrapes = new Scrapes(choice, router.bookings(), models, options.learnCapacity());
    }

    private void run(Options options) {
        Scraper scraper = Scraper.start(
                options.scraping(),
                options.access(),
                pools,
                loads,
                options.router().seed(),
                scrapes);
        running.add(scraper);
        scrapeFailures = scraper::failures;
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("bookings").factory());
        Future<?> _ = timer.scheduleWithFixedDelay(this::expire, 5, 5, TimeUnit.SECONDS);
        running.add(timer::shutdownNow);
        ModelLists lists = new ModelLists(pools, loads, options.access()::authorization, nanoTime, this::listed);
        Future<?> _ = timer.scheduleWithFixedDelay(lists::tick, 1, 1, TimeUnit.SECONDS);
        running.add(lists);
    }

    /** An error must not end the timer. */
    private void expire() {
        try {
            int count = router.bookings().expire();
            if (count > 0) {
                LOG.warn("{} bookings ended by age: nobody reported the end of their requests", count);
            }
        } catch (RuntimeException e) {
            LOG.error("bookings could not be looked through; the next time they are", e);
        }
    }

    /** @param schedulers makes the rules of one pool */
    public static RoutingParts start(Supplier<Scheduler> schedulers, Options options, LongSupplier nanoTime) {
        RoutingParts parts = new RoutingParts(schedulers, options, nanoTime);
        parts.run(options);
        return parts;
    }

    /** The same without threads: nobody asks engines, and bookings do not age. For tests and simulations. */
    static RoutingParts unscraped(Supplier<Scheduler> schedulers, Options options, LongSupplier nanoTime) {
        return new RoutingParts(schedulers, options, nanoTime);
    }

    /** An engine has said which models it serves. */
    void listed(ModelLists.Listing listing) {
        models.list(listing);
    }

    Scrapes scrapes() {
        return scrapes;
    }

    /** Every pool with the numbers of this moment. */
    public List<PoolState> states() {
        long now = nanoTime.getAsLong();
        List<PoolState> states = new ArrayList<>();
        for (EndpointPool pool : pools.all()) {
            states.add(new PoolState(
                    pool.name(),
                    pool.current().endpoints().stream()
                            .map(endpoint -> state(endpoint, now))
                            .toList()));
        }
        return states;
    }

    private PoolState.EndpointState state(Endpoint endpoint, long now) {
        EndpointLoad load = loads.at(endpoint.slot());
        return new PoolState.EndpointState(
                endpoint.name(),
                endpoint.hostPort(),
                load.inFlight(),
                load.pendingPrefill(now),
                load.tokensPerSecond(),
                load.report().waiting(),
                load.report().running(),
                load.report().kvCacheUsed(),
                load.fitness().isEjected(now));
    }

    /** One line for each endpoint: where it is, what it has to do, how fast it is, whether it is ejected. */
    public String describe() {
        StringBuilder text = new StringBuilder();
        for (PoolState pool : states()) {
            for (PoolState.EndpointState endpoint : pool.endpoints()) {
                text.append(String.format(
                        Locale.ROOT,
                        "pool=%s endpoint=%s address=%s in_flight=%d pending_prefill=%d tokens_per_second=%.0f"
                                + " waiting=%.0f running=%.0f kv_used=%.3f ejected=%b%n",
                        pool.name(),
                        endpoint.name(),
                        endpoint.hostPort(),
                        endpoint.inFlight(),
                        endpoint.pendingPrefill(),
                        endpoint.tokensPerSecond(),
                        endpoint.waiting(),
                        endpoint.running(),
                        endpoint.kvCacheUsed(),
                        endpoint.ejected()));
            }
        }
        models.all()
                .forEach((model, pool) -> text.append("model=")
                        .append(model)
                        .append(" pool=")
                        .append(pool)
                        .append('\n'));
        return text.toString();
    }

    /** Gives every pool new rules, and later pools, too. Running requests keep the decisions they got. */
    public void rules(Supplier<Scheduler> schedulers) {
        current.set(schedulers);
        choice.all().forEach(pool -> pool.scheduler(schedulers.get()));
    }

    /** Leading blocks of a prompt that an endpoint of the pool is believed to hold. */
    int match(String pool, int slot, BlockHashes prefix) {
        int[] lengths = new int[1];
        for (PoolRouting each : choice.all()) {
            if (each.pool().name().equals(pool)) {
                each.prefixes().match(prefix, new int[] {slot}, 1, lengths);
            }
        }
        return lengths[0];
    }

    /** Prefix blocks stored in all pools. */
    public int prefixBlocks() {
        int blocks = 0;
        for (PoolRouting pool : choice.all()) {
            blocks += pool.prefixes().size();
        }
        return blocks;
    }

    /** Requests to engines for their metrics that brought no report. */
    public long scrapeFailures() {
        return scrapeFailures.getAsLong();
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
    public void close() {
        for (AutoCloseable each : running) {
            try {
                each.close();
            } catch (Exception e) {
                LOG.debug("closing", e);
            }
        }
    }

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
