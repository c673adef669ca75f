package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.Fitness;
import dev.plainsail.epp.datalayer.Load;
import dev.plainsail.epp.datalayer.LoadTable;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.pool.TrafficRules;
import dev.plainsail.epp.prefix.PrefixIndex;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Profile;
import dev.plainsail.epp.scheduling.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

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
    private static final int SERVER_ERROR = 500;
    private static final int TOO_MANY_REQUESTS = 429;

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
    private volatile TrafficRules rules = TrafficRules.NONE;
    private volatile Endings endings = Endings.NONE;
    private volatile @Nullable DecisionLog decisions;
    private final LongAdder unknownTickets = new LongAdder();

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

    /** Replaces what the cluster's objectives and rewrites say. */
    public void rules(TrafficRules replacement) {
        rules = replacement;
        pools.rules(replacement);
    }

    /** Tells somebody of requests that end, from now on. */
    public void endings(Endings listener) {
        endings = listener;
    }

    /** Keeps some decisions for people, from now on. */
    public void decisions(DecisionLog log) {
        decisions = log;
    }

    /** Requests that are booked now, by the model that they asked for and the one they were rewritten to. */
    public Map<ModelPair, Integer> running() {
        Map<ModelPair, Integer> counts = new HashMap<>();
        for (Booking booking : bookings.all()) {
            counts.merge(new ModelPair(booking.model(), booking.target()), 1, Integer::sum);
        }
        return counts;
    }

    /** @param target null: not rewritten */
    public record ModelPair(
            @Nullable String model, @Nullable String target) {}

    @Override
    public void route(InferenceRequest request, Consumer<Verdict> verdict) {
        verdict.accept(decide(request));
    }

    private Verdict decide(InferenceRequest request) {
        return switch (pools.choose(request)) {
            case PoolChoice.Chosen(PoolRouting pool) -> decide(request, pool);
            case PoolChoice.Refused(Verdict.Reject reject) -> reject;
            case PoolChoice.Models(String json) -> new Verdict.Reply(json);
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
        return schedule(request, pool, withoutEjected(endpoints));
    }

    /** Ejected endpoints get nothing, unless that would leave less than half: then the fault is elsewhere. */
    private List<Endpoint> withoutEjected(List<Endpoint> endpoints) {
        long now = nanoTime.getAsLong();
        int ejected = 0;
        for (Endpoint endpoint : endpoints) {
            if (loads.at(endpoint.slot()).fitness().isEjected(now)) {
                ejected++;
            }
        }
        if (ejected == 0 || ejected * 2 > endpoints.size()) {
            return endpoints;
        }
        return endpoints.stream()
                .filter(endpoint -> !loads.at(endpoint.slot()).fitness().isEjected(now))
                .toList();
    }

    private Verdict schedule(InferenceRequest request, PoolRouting pool, List<Endpoint> endpoints) {
        Scheduler scheduler = pool.scheduler();
        Profile profile = scheduler.profile(request);
        Candidates all = Candidates.of(request, endpoints, new Source(pool.prefixes()), nanoTime.getAsLong());
        RandomGenerator random = new SplittableRandom(options.seed() ^ request.ticket() * 0x9E3779B97F4A7C15L);
        if (isSheddable(request) && scheduler.sheds(all, random.nextDouble())) {
            return new Verdict.Reject(
                    Reason.SATURATED,
                    "pool " + pool.pool().name() + " is too full for a request whose objective may be shed",
                    RETRY_AFTER_SECONDS);
        }
        Candidates narrowed = profile.narrow(request, all);
        if (narrowed.size() == 0) {
            return new Verdict.Reject(
                    Reason.SATURATED,
                    "every endpoint of pool " + pool.pool().name() + " is filtered out",
                    RETRY_AFTER_SECONDS);
        }
        int[] chosen = profile.choose(request, narrowed, random);
        for (int round = 1; !narrowed.live(chosen[0]).book(narrowed.inFlight(chosen[0])); round++) {
            if (round == MAX_ROUNDS) {
                narrowed.live(chosen[0]).bookAnyway();
                break;
            }
            narrowed.refresh(chosen[0]);
            chosen = profile.choose(request, narrowed, random);
        }
        DecisionLog log = decisions;
        Explanation explanation =
                log != null && log.wants(request) ? new Explanation(log, request, pool, profile, narrowed) : null;
        if (explanation == null && !scheduler.tells()) {
            return forward(request, pool, narrowed, chosen, scheduler);
        }
        Verdict.Forward forward = forward(request, pool, narrowed, chosen, scheduler);
        Map<String, String> headers =
                new HashMap<>(scheduler.told(forward.inOrder().getFirst()));
        if (explanation != null) {
            explanation.keep(forward, headers);
        }
        return headers.isEmpty() ? forward : new Verdict.Told(forward, headers);
    }

    /** Requests of a negative priority go only while there is room. */
    private boolean isSheddable(InferenceRequest request) {
        TrafficRules now = rules;
        return !now.priorities().isEmpty()
                && now.priority(header(request, "x-llm-d-inference-objective", "x-gateway-inference-objective")) < 0;
    }

    private static @Nullable String header(InferenceRequest request, String name, String oldName) {
        String value = request.headers().get(name);
        return value == null ? request.headers().get(oldName) : value;
    }

    /** The header's model, else the first matching rule's; null leaves the body as it is. */
    private @Nullable String rewritten(InferenceRequest request, PoolRouting pool) {
        String asked = header(request, "x-llm-d-model-name-rewrite", "x-gateway-model-name-rewrite");
        if (asked != null && !asked.isEmpty()) {
            return asked;
        }
        TrafficRules now = rules;
        if (now.rewrites().isEmpty()) {
            return null;
        }
        double dice = new SplittableRandom(options.seed() + request.ticket()).nextDouble();
        return now.rewritten(pool.pool().name(), request.model(), dice);
    }

    private Verdict.Forward forward(
            InferenceRequest request, PoolRouting pool, Candidates candidates, int[] chosen, Scheduler scheduler) {
        int first = chosen[0];
        List<Endpoint> inOrder = new ArrayList<>(chosen.length);
        for (int position : chosen) {
            inOrder.add(candidates.endpoint(position));
        }
        Endpoint endpoint = inOrder.getFirst();
        Charge charge = new Charge(candidates.uncachedTokens(first), scheduler.expectedOutput(request));
        String target = rewritten(request, pool);
        Booking booking = bookings.open(request, target, endpoint, candidates.live(first), charge);
        pool.prefixes().insert(request.prefix(), endpoint.slot());
        scheduler.chosen(request, candidates, first);
        return new Verdict.Forward(inOrder, target, booking);
    }

    @Override
    public void accept(long ticket, Outcome outcome) {
        Booking booking = bookings.find(ticket);
        if (booking == null) {
            unknownTickets.increment();
            return;
        }
        judge(booking, outcome);
        endings.ended(booking.model(), booking.target(), booking.isStreamed(), outcome);
        booking.ended();
    }

    /** Who hung up says nothing about the endpoint; an engine that is full (429) is not broken. */
    private void judge(Booking booking, Outcome outcome) {
        Fitness fitness = booking.load().fitness();
        boolean servedElsewhere = outcome.upstream() != null
                && !outcome.upstream().equals(booking.endpoint().hostPort());
        if (outcome.upstreamFailed() || servedElsewhere || outcome.status() >= SERVER_ERROR) {
            fitness.failed(nanoTime.getAsLong());
        } else if (!outcome.clientGone() && outcome.status() > 0 && outcome.status() != TOO_MANY_REQUESTS) {
            fitness.succeeded();
        }
    }

    /** Entries of the access log for requests that we do not know (any more). */
    public long unknownTickets() {
        return unknownTickets.sum();
    }

    /** Requests that are booked now. */
    public int inFlight() {
        return bookings.size();
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
