package dev.plainsail.epp.routing;

import dev.plainsail.epp.configuration.PickerConfiguration;
import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.EngineReport;
import dev.plainsail.epp.datalayer.Scraper;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.pool.Member;
import dev.plainsail.epp.prefix.BlockHashes;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The real router on virtual time, fed as in the shipped mode: no first token is seen, ends come 50 ms late. */
public final class OurPolicy {
    private static final double ACCESS_LOG_SECONDS = 0.05;

    private final RoutingParts parts;
    private final List<Endpoint> endpoints;
    private final @Nullable EngineReport[] last;
    private final Queue<End> onTheirWay = new ArrayDeque<>();
    private long nowNanos = 1;

    private record End(int number, double knownAt) {}

    /** A router with so many endpoints. */
    public OurPolicy(PickerConfiguration configuration, int replicas, long seed) {
        RoutingParts.Options defaults = RoutingParts.Options.DEFAULT;
        RoutingParts.Options options = new RoutingParts.Options(
                SchedulingRouter.Options.seeded(seed),
                defaults.scraping(),
                defaults.maxPrefixEntries(),
                defaults.maxPrefixBlocks(),
                defaults.prefixCapacityBlocks(),
                true,
                defaults.access());
        parts = RoutingParts.unscraped(() -> configuration.scheduler(() -> nowNanos), options, () -> nowNanos);
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            members.add(
                    new Member("r" + i, "default/r" + i, new InetSocketAddress("10.0.0." + (i + 1), 8000), Map.of()));
        }
        parts.pools().get("p").replace("simulation", members);
        endpoints = parts.pools().get("p").current().endpoints();
        last = new @Nullable EngineReport[replicas];
    }

    /** Decides a request. */
    public int choose(int number, int inputTokens, BlockHashes prefix, double time) {
        at(time);
        InferenceRequest request = new InferenceRequest(
                number, "/v1/completions", null, "m", true, inputTokens * 4L, inputTokens, -1, prefix, Map.of(), null);
        AtomicInteger chosen = new AtomicInteger(-1);
        parts.router().route(request, verdict -> {
            if (verdict instanceof Verdict.Forward forward) {
                chosen.set(forward.inOrder().getFirst().slot());
            }
        });
        return chosen.get();
    }

    /** A request has ended; the access log will tell. */
    public void ended(int number, double time) {
        onTheirWay.add(new End(number, time + ACCESS_LOG_SECONDS));
    }

    /** A scrape. */
    public void report(int replica, EngineReport report, double time) {
        at(time);
        EndpointLoad load = parts.loads().at(replica);
        load.observe(report, last[replica], nowNanos, EndpointLoad.PRIOR_TOKENS_PER_SECOND);
        parts.scrapes().accept(new Scraper.Scraped(endpoints.get(replica), load, report, last[replica]));
        last[replica] = report;
    }

    private void at(double time) {
        for (End end = onTheirWay.peek(); end != null && end.knownAt() <= time; end = onTheirWay.peek()) {
            onTheirWay.remove();
            turnClock(end.knownAt());
            parts.router().accept(end.number(), new Outcome(200, null, 1, 1, false, false));
        }
        turnClock(time);
    }

    private void turnClock(double time) {
        nowNanos = 60_000_000_000L + (long) (time * 1e9);
    }
}
