package dev.plainsail.epp.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.epp.configuration.PickerConfiguration;
import dev.plainsail.epp.configuration.PrefixOptions;
import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.EngineReport;
import dev.plainsail.epp.datalayer.Load;
import dev.plainsail.epp.datalayer.ModelLists;
import dev.plainsail.epp.datalayer.Scraper;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.pool.Member;
import dev.plainsail.epp.prefix.BlockHashes;
import dev.plainsail.epp.prefix.PrefixIndex;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Pools without engines, a clock that is turned by hand, and requests that are written in a line. */
final class Fleet {
    private final AtomicLong clock = new AtomicLong(1_000_000_000L);
    private final AtomicLong tickets = new AtomicLong();
    private final Map<Integer, EngineReport> reports = new HashMap<>();
    private final RoutingParts parts;

    Fleet(PickerConfiguration configuration) {
        RoutingParts.Options defaults = RoutingParts.Options.DEFAULT;
        PrefixOptions prefixes = configuration.prefixes();
        parts = RoutingParts.unscraped(
                () -> configuration.scheduler(clock::get),
                new RoutingParts.Options(
                        defaults.router(),
                        defaults.scraping(),
                        defaults.maxPrefixEntries(),
                        prefixes.maxBlocks(),
                        prefixes.capacityBlocks(),
                        prefixes.learnt(),
                        defaults.access()),
                clock::get);
    }

    static PickerConfiguration llmdDefault() {
        return configuration("""
                apiVersion: llm-d.ai/v1alpha1
                kind: EndpointPickerConfig
                plugins: [{type: queue-scorer}, {type: kv-cache-utilization-scorer}, {type: prefix-cache-scorer}]
                schedulingProfiles:
                - name: default
                  plugins:
                  - {pluginRef: queue-scorer, weight: 2}
                  - {pluginRef: kv-cache-utilization-scorer, weight: 2}
                  - {pluginRef: prefix-cache-scorer, weight: 3}
                """);
    }

    static PickerConfiguration configuration(String yaml) {
        return switch (PickerConfiguration.read(yaml, true)) {
            case PickerConfiguration.Result.Valid(PickerConfiguration configuration) -> configuration;
            case PickerConfiguration.Result.Invalid invalid -> throw new AssertionError(invalid.problems());
        };
    }

    RoutingParts parts() {
        return parts;
    }

    SchedulingRouter router() {
        return parts.router();
    }

    void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    /** Makes the pool have so many endpoints, without a moment between. */
    void pool(String name, int endpoints) {
        pool(name, endpoints, Map.of());
    }

    void pool(String name, int endpoints, Map<String, String> labels) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < endpoints; i++) {
            InetSocketAddress address = new InetSocketAddress("10.0." + i / 250 + "." + (i % 250 + 1), 8000);
            members.add(new Member(name + i, "default/" + name + "-" + i, address, labels));
        }
        parts.pools().get(name).replace("test", members);
    }

    List<Endpoint> endpoints(String pool) {
        return parts.pools().get(pool).current().endpoints();
    }

    List<Integer> inFlight(String pool) {
        return endpoints(pool).stream()
                .map(endpoint -> parts.loads().at(endpoint.slot()).inFlight())
                .toList();
    }

    List<Integer> pending(String pool) {
        return endpoints(pool).stream()
                .map(endpoint -> parts.loads().at(endpoint.slot()).pendingPrefill(clock.get()))
                .toList();
    }

    /** A report of an endpoint, with nothing but these numbers. */
    void report(String pool, int index, double waiting, double running, double firstTokens) {
        report(pool, index, waiting, running, firstTokens, Set.of("m"));
    }

    /** An endpoint of the pool says that it serves a model. */
    void serves(String pool, String model) {
        report(pool, 0, 0, 0, 0, Set.of(model));
    }

    /** The first endpoint of the pool lists models, each as its engine would write it. */
    void lists(String pool, Map<String, String> models) {
        Endpoint endpoint = endpoints(pool).getFirst();
        parts.listed(new ModelLists.Listing(parts.loads().at(endpoint.slot()), models));
    }

    /** An endpoint reports values that the configuration has named. */
    void attributes(String pool, int index, Map<String, Double> values) {
        Load numbers = new Load(clock.get(), 0, 0, 0, 0, 0, Load.Adapters.NONE, values);
        accept(pool, index, new EngineReport(numbers, EngineReport.Counters.UNKNOWN, Set.of("m")));
    }

    /** An endpoint says how many blocks its KV cache has. */
    void holds(String pool, int index, int blockTokens, int blocks) {
        Load numbers = new Load(clock.get(), 0, 0, 0, blockTokens, blocks, Load.Adapters.NONE);
        accept(pool, index, new EngineReport(numbers, EngineReport.Counters.UNKNOWN, Set.of("m")));
    }

    /** Blocks of a prompt that an endpoint is believed to hold. */
    int match(String pool, int slot, BlockHashes prefix) {
        return parts.match(pool, slot, prefix);
    }

    private void accept(String pool, int index, EngineReport report) {
        Endpoint endpoint = endpoints(pool).get(index);
        EndpointLoad load = parts.loads().at(endpoint.slot());
        EngineReport before = reports.put(endpoint.slot(), report);
        load.observe(report, before, clock.get(), EndpointLoad.PRIOR_TOKENS_PER_SECOND);
        parts.scrapes().accept(new Scraper.Scraped(endpoint, load, report, before));
    }

    private void report(
            String pool, int index, double waiting, double running, double firstTokens, Set<String> models) {
        Load numbers = new Load(clock.get(), waiting, running, Double.NaN, 0, 0, Load.Adapters.NONE);
        EngineReport.Counters none = EngineReport.Counters.UNKNOWN;
        EngineReport report = new EngineReport(
                numbers,
                new EngineReport.Counters(
                        none.processStart(),
                        none.prefillTokens(),
                        none.prefillSeconds(),
                        none.prefillRequests(),
                        none.computedPromptTokens(),
                        none.prefixQueriedTokens(),
                        none.prefixHitTokens(),
                        firstTokens),
                models);
        accept(pool, index, report);
    }

    Request request() {
        return new Request(tickets.incrementAndGet());
    }

    Verdict route(Request request) {
        AtomicReference<@Nullable Verdict> verdict = new AtomicReference<>();
        parts.router().route(request.build(), verdict::set);
        Verdict given = verdict.get();
        assertThat(given).as("verdict is given at once").isNotNull();
        return given == null ? new Verdict.Reject(Reason.INTERNAL, "none", 0) : given;
    }

    Verdict.Forward forward(Request request) {
        Verdict verdict = route(request);
        assertThat(verdict).isInstanceOf(Verdict.Forward.class);
        return (Verdict.Forward) verdict;
    }

    Verdict.Reject rejected(Request request) {
        Verdict verdict = route(request);
        assertThat(verdict).isInstanceOf(Verdict.Reject.class);
        return (Verdict.Reject) verdict;
    }

    static Outcome ok() {
        return new Outcome(200, null, 1_000_000_000L, 100, false, false);
    }

    static final class Request {
        private final long ticket;
        private @Nullable String pool;
        private String path = "/v1/completions";
        private @Nullable String model = "m";
        private BlockHashes prefix = BlockHashes.NONE;
        private final Map<String, String> headers = new HashMap<>();
        private @Nullable List<String> subset;

        private Request(long ticket) {
            this.ticket = ticket;
        }

        long ticket() {
            return ticket;
        }

        Request pool(String name) {
            pool = name;
            return this;
        }

        Request path(String text) {
            path = text;
            return this;
        }

        Request model(@Nullable String name) {
            model = name;
            return this;
        }

        /** A prompt of so many blocks; the same number is the same prompt, up to the shorter length. */
        Request prompt(int number, int blocks) {
            long[] hashes = new long[blocks];
            for (int i = 0; i < blocks; i++) {
                hashes[i] = number * 1_000_003L + i + 1;
            }
            prefix = new BlockHashes(hashes, blocks);
            return this;
        }

        Request prefix(BlockHashes hashes) {
            prefix = hashes;
            return this;
        }

        Request header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        Request subset(List<String> entries) {
            subset = entries;
            return this;
        }

        InferenceRequest build() {
            int tokens = prefix.size() * PrefixIndex.BLOCK_TOKENS;
            return new InferenceRequest(
                    ticket, path, pool, model, false, tokens * 4L, tokens, -1, prefix, headers, subset);
        }
    }
}
