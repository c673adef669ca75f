package dev.plainsail.epp.datalayer;

import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.pool.EndpointPool;
import dev.plainsail.epp.pool.Pools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks every engine for its metrics, each about once a second while it is busy and every few seconds while it is not,
 * from one thread that never waits for any of them. An engine that does not answer keeps its last report until that is
 * too old, and never leaves its pool for it (fail open).
 */
public final class Scraper implements AutoCloseable {
    /**
     * @param port null: the endpoint's own
     * @param busy interval while requests are in flight or were reported
     * @param idle interval otherwise
     * @param timeout of one request, connecting included
     * @param tls null: in plain text
     * @param own metrics that are read besides the built-in ones
     */
    public record Options(
            String path,
            @Nullable Integer port,
            Duration busy,
            Duration idle,
            Duration timeout,
            @Nullable SSLContext tls,
            List<MetricSpec> own) {
        public static final Options DEFAULT = new Options(
                "/metrics", null, Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(3), null, List.of());

        public Options {
            own = List.copyOf(own);
        }

        /** The same, reading these metrics as well. */
        public Options reading(List<MetricSpec> more) {
            return new Options(path, port, busy, idle, timeout, tls, more);
        }
    }

    /** A report has come in; called on the scraper's thread. */
    public record Scraped(
            Endpoint endpoint,
            EndpointLoad load,
            EngineReport report,
            @Nullable EngineReport previous) {}

    private static final Logger LOG = LoggerFactory.getLogger(Scraper.class);
    private static final long TICK_MILLIS = 50;
    private static final Duration TOKEN_INTERVAL = Duration.ofSeconds(1);
    private static final double JITTER = 0.1;

    private final Options options;
    private final EngineAccess access;
    private final Pools pools;
    private final LoadTable loads;
    private final Consumer<Scraped> listener;
    private final EngineMetrics metrics;
    private final Selector selector;
    private final ByteBuffer scratch = ByteBuffer.allocateDirect(64 << 10);
    private final ResponseBuffers buffers = new ResponseBuffers();
    private final Map<Integer, Target> targets = new HashMap<>();
    private final Map<String, Long> seenVersions = new HashMap<>();
    private final PriorityQueue<Due> due = new PriorityQueue<>();
    private final SplittableRandom random;
    private final Thread thread;
    private final LongAdder scrapes = new LongAdder();
    private final LongAdder failures = new LongAdder();
    /** A header line, or nothing; looked at every {@link #TOKEN_INTERVAL}, not for every engine. */
    private String authorization = "";

    private volatile boolean closed;

    private Scraper(
            Options options, EngineAccess access, Pools pools, LoadTable loads, long seed, Consumer<Scraped> listener) {
        this.options = options;
        this.access = access;
        this.metrics = new EngineMetrics(
                Stream.concat(MetricSpec.KNOWN.stream(), options.own().stream()).toList());
        this.pools = pools;
        this.loads = loads;
        this.listener = listener;
        this.random = new SplittableRandom(seed);
        try {
            this.selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.thread = Thread.ofPlatform().daemon().name("scraper").unstarted(this::run);
    }

    /** @param listener is called for each report, on the scraper's thread */
    public static Scraper start(
            Options options, EngineAccess access, Pools pools, LoadTable loads, long seed, Consumer<Scraped> listener) {
        Scraper scraper = new Scraper(options, access, pools, loads, seed, listener);
        scraper.thread.start();
        return scraper;
    }

    /** Reports read since the start. */
    public long scrapes() {
        return scrapes.sum();
    }

    /** Requests that brought no report. */
    public long failures() {
        return failures.sum();
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
    }

    private record Due(long atNanos, Target target, int turn) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            return Long.signum(atNanos - other.atNanos);
        }
    }

    /** An endpoint that is scraped. {@code turn} makes what was planned before void. */
    private final class Target {
        final EndpointLoad load;
        final Connection connection;
        Endpoint endpoint;
        boolean asking;
        boolean complained;
        int turn;
        long askedAtNanos;

        @Nullable
        EngineReport last;

        Target(Endpoint endpoint) {
            this.endpoint = endpoint;
            this.load = loads.at(endpoint.slot());
            Integer port = options.port();
            InetSocketAddress address = port == null
                    ? endpoint.address()
                    : new InetSocketAddress(endpoint.address().getAddress(), port);
            this.connection = new Connection(address, options.tls(), buffers);
        }

        byte[] request() {
            return ("GET " + options.path() + " HTTP/1.1\r\nHost: " + endpoint.hostPort()
                            + "\r\nAccept: text/plain\r\nUser-Agent: plainsail" + authorization + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
        }

        void plan(long atNanos) {
            due.add(new Due(atNanos, this, ++turn));
        }
    }

    private void run() {
        long nextLook = System.nanoTime();
        long nextToken = nextLook;
        while (!closed) {
            try {
                long now = System.nanoTime();
                if (now - nextLook >= 0) {
                    followPools(now);
                    nextLook = now + Duration.ofMillis(TICK_MILLIS).toNanos();
                }
                if (now - nextToken >= 0) {
                    authorization = access.authorization()
                            .map(value -> "\r\nAuthorization: " + value)
                            .orElse("");
                    nextToken = now + TOKEN_INTERVAL.toNanos();
                }
                askDue(now);
                selector.select(this::ready, TICK_MILLIS);
            } catch (IOException | RuntimeException e) {
                LOG.error("scraping failed; it goes on", e);
            }
        }
        targets.values().forEach(target -> target.connection.close());
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("closing", e);
        }
    }

    /** Takes over endpoints that came, went or changed. Costs nothing while the versions stay. */
    private void followPools(long now) {
        boolean changed = false;
        for (EndpointPool pool : pools.all()) {
            Long version = pool.current().version();
            changed |= !version.equals(seenVersions.put(pool.name(), version));
        }
        if (!changed) {
            return;
        }
        Set<Integer> live = new HashSet<>();
        for (EndpointPool pool : pools.all()) {
            for (Endpoint endpoint : pool.current().endpoints()) {
                live.add(endpoint.slot());
                follow(endpoint, now);
            }
        }
        targets.values().removeIf(target -> {
            boolean gone = !live.contains(target.endpoint.slot());
            if (gone) {
                drop(target);
            }
            return gone;
        });
    }

    private void follow(Endpoint endpoint, long now) {
        Target known = targets.get(endpoint.slot());
        if (known != null && known.load == loads.at(endpoint.slot())) {
            known.endpoint = endpoint;
            return;
        }
        if (known != null) {
            drop(known);
        }
        Target target = new Target(endpoint);
        targets.put(endpoint.slot(), target);
        target.plan(now + random.nextLong(options.busy().toNanos() / 4 + 1));
    }

    private static void drop(Target target) {
        target.turn++;
        target.connection.abandon();
    }

    private void askDue(long now) {
        for (Due next = due.peek(); next != null && now - next.atNanos() >= 0; next = due.peek()) {
            due.remove();
            Target target = next.target();
            if (next.turn() == target.turn) {
                if (target.asking) {
                    failed(target, "no answer in " + options.timeout().toMillis() + " ms");
                } else {
                    ask(target, now);
                }
            }
        }
    }

    private void ask(Target target, long now) {
        target.asking = true;
        target.askedAtNanos = now;
        target.plan(now + options.timeout().toNanos());
        try {
            target.connection.send(selector, target, target.request());
        } catch (IOException | RuntimeException e) {
            failed(target, String.valueOf(e.getMessage()));
        }
    }

    private void ready(SelectionKey key) {
        if (!(key.attachment() instanceof Target target)) {
            return;
        }
        if (!target.asking) {
            target.connection.close(); // an idle connection speaks only to say that it ends
            return;
        }
        try {
            if (target.connection.proceed(selector, target, scratch)) {
                answered(target);
            }
        } catch (IOException | RuntimeException e) {
            failed(target, String.valueOf(e.getMessage()));
        }
    }

    private void answered(Target target) {
        RawResponse response = target.connection.response();
        if (response.status() != 200) {
            failed(target, "status " + response.status());
            return;
        }
        EngineReport report =
                metrics.read(response.bytes(), response.bodyStart(), response.bodyEnd(), target.askedAtNanos);
        response.release();
        EngineReport previous = target.last;
        target.last = report;
        boolean restarted = previous != null && report.counters().restartedSince(previous.counters());
        target.load.observe(report, restarted ? null : previous, target.askedAtNanos, usualSpeed(target, report));
        if (target.complained) {
            LOG.info("metrics of {} are there again", target.endpoint.name());
            target.complained = false;
        }
        scrapes.increment();
        target.asking = false;
        target.plan(target.askedAtNanos + jittered(isBusy(target) ? options.busy() : options.idle()));
        listener.accept(new Scraped(target.endpoint, target.load, report, previous));
    }

    /** The median of those that serve the same models and are known well. */
    private double usualSpeed(Target target, EngineReport report) {
        if (target.load.speed().trusted()) {
            return target.load.tokensPerSecond();
        }
        double[] others = targets.values().stream()
                .filter(other -> other.load.speed().trusted()
                        && other.last != null
                        && other.last.models().equals(report.models()))
                .mapToDouble(other -> other.load.tokensPerSecond())
                .sorted()
                .toArray();
        return others.length == 0 ? EndpointLoad.PRIOR_TOKENS_PER_SECOND : others[others.length / 2];
    }

    private static boolean isBusy(Target target) {
        Load load = target.load.report();
        return target.load.inFlight() > 0 || load.running() > 0 || load.waiting() > 0;
    }

    private long jittered(Duration interval) {
        return (long) (interval.toNanos() * (1 - JITTER + 2 * JITTER * random.nextDouble()));
    }

    /** Said once, until it works again. */
    private void failed(Target target, String why) {
        failures.increment();
        target.asking = false;
        target.connection.abandon();
        target.plan(System.nanoTime() + jittered(options.idle()));
        if (!target.complained) {
            target.complained = true;
            LOG.warn(
                    "no metrics of {} ({}): {}; its load is judged by our own requests",
                    target.endpoint.name(),
                    target.endpoint.hostPort(),
                    why);
        }
    }
}
