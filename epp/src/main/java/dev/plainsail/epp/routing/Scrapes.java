package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.Load;
import dev.plainsail.epp.datalayer.Scraper.Scraped;
import dev.plainsail.epp.prefix.PrefixIndex;
import java.time.Duration;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;

/**
 * What the router learns from each report of an engine: how many blocks it can hold, that it was restarted, and that
 * bookings are over whose end nobody told us. Runs on the scraper's thread only.
 */
final class Scrapes implements Consumer<Scraped> {
    /** A younger request may still be on its way to the engine's counters, through tokenizer or image decoder. */
    private static final Duration SETTLED = Duration.ofSeconds(10);

    private final PoolChoice pools;
    private final Bookings bookings;
    private final ModelDirectory models;
    private final boolean learnCapacity;
    private final Map<EndpointLoad, Integer> surplusBefore = new WeakHashMap<>();
    private final Map<EndpointLoad, Integer> capacities = new WeakHashMap<>();

    Scrapes(PoolChoice pools, Bookings bookings, ModelDirectory models, boolean learnCapacity) {
        this.pools = pools;
        this.bookings = bookings;
        this.models = models;
        this.learnCapacity = learnCapacity;
    }

    @Override
    public void accept(Scraped scraped) {
        int slot = scraped.endpoint().slot();
        if (scraped.previous() != null
                && scraped.report().counters().restartedSince(scraped.previous().counters())) {
            pools.all().forEach(pool -> pool.prefixes().forget(slot));
            capacities.remove(scraped.load());
            scraped.load().fitness().restarted(scraped.report().load().readAtNanos());
        }
        learnCapacity(slot, scraped.load(), scraped.report().load());
        correct(scraped.load(), scraped.report().load());
        models.report(scraped.endpoint(), scraped.load(), scraped.report());
    }

    private void learnCapacity(int slot, EndpointLoad live, Load load) {
        int blocks = (int) Math.min(load.kvTokens() / PrefixIndex.BLOCK_TOKENS, Integer.MAX_VALUE);
        if (learnCapacity && blocks > 0 && !Integer.valueOf(blocks).equals(capacities.put(live, blocks))) {
            pools.all().forEach(pool -> pool.prefixes().capacity(slot, blocks));
        }
    }

    /** Two reports in a row with fewer requests than are booked end the surplus, the oldest first. */
    private void correct(EndpointLoad load, Load report) {
        double known = report.running() + report.waiting();
        if (Double.isNaN(known) || load.inFlight() <= known) {
            surplusBefore.remove(load);
            return;
        }
        long before = report.readAtNanos() - SETTLED.toNanos();
        int surplus = bookings.count(load, before) - (int) known;
        Integer last = surplus > 0 ? surplusBefore.put(load, surplus) : surplusBefore.remove(load);
        if (last != null && surplus > 0) {
            bookings.correct(load, Math.min(surplus, last), before);
        }
    }
}
