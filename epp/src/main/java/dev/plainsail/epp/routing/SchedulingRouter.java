package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.Load;
import dev.plainsail.epp.datalayer.LoadTable;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.prefix.PrefixIndex;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Profile;
import dev.plainsail.epp.scheduling.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Chooses the pool, takes a snapshot, schedules and books. Everything happens on the caller's thread, without a lock but
 * for the prefix index's short one.
 *
 * <p>The in-flight count is booked by compare-and-set on the value that was scored. When it fails, somebody else booked
 * on that endpoint meanwhile: its count is read again and the choice is made again. Other counts only rose, so a booking
 * that succeeds was still the best; equal requests spread evenly without a lock.
 */
public final class SchedulingRouter implements Router, Outcomes {
    /** More rounds than threads could cause; after them the choice is booked as it is. */
    private static final int MAX_ROUNDS = 64;

    private static final int RETRY_AFTER_SECONDS = 5;

    /**
     * @param seed of all randomness, together with the ticket
     * @param staleAfter reports older than this count as unknown
     */
    public record Options(long seed, Duration staleAfter, Duration maxBookingAge, int maxBookings) {
        public static final Options DEFAULT = seeded(0);

        public static Options seeded(long seed) {
            return new Options(seed, Duration.ofSeconds(15), Duration.ofMinutes(30), 1 << 18);
        }
    }

    private final PoolChoice pools;
    private final LoadTable loads;
    private final Options options;
    private final LongSupplier nanoTime;
    private final Bookings bookings;

    SchedulingRouter(PoolChoice pools, LoadTable loads, Options options, LongSupplier nanoTime) {
        this.pools = pools;
        this.loads = loads;
        this.options = options;
        this.nanoTime = nanoTime;
        this.bookings = new Bookings(nanoTime, options.maxBookingAge(), options.maxBookings());
    }

    Bookings bookings() {
        return bookings;
    }

    @Override
    public void route(InferenceRequest request, Consumer<Verdict> verdict) {
        verdict.accept(decide(request));
    }

    private Verdict decide(InferenceRequest request) {
        return switch (pools.choose(request)) {
            case PoolChoice.Chosen(PoolRouting pool) -> decide(request, pool);
            case PoolChoice.Refused(Verdict.Reject reject) -> reject;
        };
    }

    private Verdict decide(InferenceRequest request, PoolRouting pool) {
        List<Endpoint> endpoints = pool.pool().current().endpoints();
        if (endpoints.isEmpty()) {
            return new Verdict.Reject(
                    Reason.NO_ENDPOINT, "pool " + pool.pool().name() + " has no ready endpoint", RETRY_AFTER_SECONDS);
        }
        if (bookings.isFull()) {
            return new Verdict.Reject(Reason.SATURATED, "too many requests are in flight", RETRY_AFTER_SECONDS);
        }
        if (request.subset() != null) {
            endpoints = SubsetHint.narrow(endpoints, request.subset());
            if (endpoints.isEmpty()) {
                return new Verdict.Reject(
                        Reason.SUBSET_WITHOUT_ENDPOINT,
                        "none of the endpoints that the proxy allows is ready in pool "
                                + pool.pool().name(),
                        RETRY_AFTER_SECONDS);
            }
        }
        return schedule(request, pool, endpoints);
    }

    private Verdict schedule(InferenceRequest request, PoolRouting pool, List<Endpoint> endpoints) {
        Scheduler scheduler = pool.scheduler();
        Profile profile = scheduler.profile(request);
        Candidates all = Candidates.of(request, endpoints, new Source(pool.prefixes()), nanoTime.getAsLong());
        Candidates narrowed = profile.narrow(request, all);
        if (narrowed.size() == 0) {
            return new Verdict.Reject(
                    Reason.SATURATED,
                    "every endpoint of pool " + pool.pool().name() + " is filtered out",
                    RETRY_AFTER_SECONDS);
        }
        RandomGenerator random = new SplittableRandom(options.seed() ^ request.ticket() * 0x9E3779B97F4A7C15L);
        int[] chosen = profile.choose(request, narrowed, random);
        for (int round = 1; !narrowed.live(chosen[0]).book(narrowed.inFlight(chosen[0])); round++) {
            if (round == MAX_ROUNDS) {
                narrowed.live(chosen[0]).bookAnyway();
                break;
            }
            narrowed.refresh(chosen[0]);
            chosen = profile.choose(request, narrowed, random);
        }
        return forward(request, pool, narrowed, chosen, scheduler);
    }

    private Verdict forward(
            InferenceRequest request, PoolRouting pool, Candidates candidates, int[] chosen, Scheduler scheduler) {
        int first = chosen[0];
        List<Endpoint> inOrder = new ArrayList<>(chosen.length);
        for (int position : chosen) {
            inOrder.add(candidates.endpoint(position));
        }
        Endpoint endpoint = inOrder.getFirst();
        Charge charge = new Charge(candidates.uncachedTokens(first), scheduler.expectedOutput(request));
        Booking booking = bookings.open(request.ticket(), endpoint, candidates.live(first), charge);
        pool.prefixes().insert(request.prefix(), endpoint.slot());
        scheduler.chosen(request, candidates, first);
        return new Verdict.Forward(inOrder, null, booking);
    }

    @Override
    public void accept(long ticket, Outcome outcome) {
        Booking booking = bookings.find(ticket);
        if (booking != null) {
            booking.ended();
        }
    }

    private final class Source implements Candidates.Source {
        private final PrefixIndex prefixes;

        Source(PrefixIndex prefixes) {
            this.prefixes = prefixes;
        }

        @Override
        public EndpointLoad live(Endpoint endpoint) {
            return loads.at(endpoint.slot());
        }

        @Override
        public Load fresh(EndpointLoad live, long nowNanos) {
            Load report = live.report();
            return nowNanos - report.readAtNanos() > options.staleAfter().toNanos() ? Load.UNKNOWN : report;
        }

        @Override
        public PrefixIndex prefixes() {
            return prefixes;
        }
    }
}
