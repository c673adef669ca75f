package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.EngineMetrics.Lora;
import dev.plainsail.e2e.engine.EngineMetrics.Rank;
import dev.plainsail.e2e.engine.EngineSettings.Cache;
import dev.plainsail.e2e.engine.EngineSettings.Dialect;
import dev.plainsail.e2e.engine.http.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One engine that listens and serves; many of them live well in one JVM. Thread-safe. What it cannot do: publish KV events, transfer
 * caches to other engines, understand images.
 */
public final class SimulatedEngine implements AutoCloseable {
    /** One data-parallel rank at work. */
    private record Running(EngineLoop loop, Rank rank) {}

    private final EngineSettings settings;
    private final EngineClock clock;
    private final double startedAt;
    private final Lock lock = new ReentrantLock();
    private final List<Running> ranks = new ArrayList<>();
    private final Optional<Lora> lora;
    private volatile Faults faults;
    private final HttpServer server;

    private SimulatedEngine(EngineSettings settings, EngineClock clock) throws IOException {
        this.settings = settings;
        this.clock = clock;
        this.startedAt = clock.epochSeconds();
        this.faults = settings.faults();
        int loras = settings.model().maxLoras();
        this.lora = loras > 0 ? Optional.of(new Lora(loras)) : Optional.empty();
        for (int i = 0; i < settings.ranks(); i++) {
            ranks.add(rank());
        }
        this.server = HttpServer.start(
                settings.address(),
                settings.tls().isPresent()
                        ? Optional.of(Pem.context(settings.tls().get()))
                        : Optional.empty(),
                new EngineApi(this));
        ranks.forEach(rank -> rank.loop().start());
    }

    private Running rank() {
        Cache cache = settings.cache();
        EngineStats stats = new EngineStats(settings.model().maxLength());
        EngineCore core = new EngineCore(
                new KvCache(cache.blockSize(), cache.blocks(), cache.prefixCaching()),
                settings.limits(),
                settings.time(),
                stats);
        return new Running(new EngineLoop(core, clock, lock), new Rank(core, stats));
    }

    /**
     * Starts an engine in this JVM.
     *
     * @param arguments as behind {@code vllm serve}; {@code --port 0} takes a free port
     * @throws IllegalArgumentException for what vLLM would not accept
     * @throws IOException when it cannot listen
     */
    public static SimulatedEngine start(List<String> arguments) throws IOException {
        try {
            return start(VllmArguments.parse(arguments, Map.of()), EngineClock.SYSTEM);
        } catch (ArgumentReader.Wrong e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    static SimulatedEngine start(EngineSettings settings, EngineClock clock) throws IOException {
        return new SimulatedEngine(settings, clock);
    }

    public InetSocketAddress address() {
        return server.address();
    }

    /** Where to send requests to, without a slash at the end. */
    public String url() {
        String scheme = settings.tls().isPresent() ? "https" : "http";
        String host = address().getAddress().isAnyLocalAddress()
                ? "127.0.0.1"
                : address().getAddress().getHostAddress();
        return scheme + "://" + host + ":" + address().getPort();
    }

    /** The text of {@code /metrics}, whatever faults are set. */
    public String metrics() {
        lock.lock();
        try {
            List<Rank> all = ranks.stream().map(Running::rank).toList();
            lora.ifPresent(l -> l.see(all, clock.epochSeconds()));
            if (settings.dialect() == Dialect.SGLANG) {
                return SglangMetrics.text(settings, all);
            }
            return EngineMetrics.text(
                    settings.model().names().getFirst(),
                    all,
                    cacheLabels(settings.cache(), settings.model().maxLength()),
                    lora,
                    startedAt);
        } finally {
            lock.unlock();
        }
    }

    /** The labels that vLLM 0.32 writes; those that tell something about this engine are true, the others are vLLM's defaults. */
    private static Map<String, String> cacheLabels(Cache cache, int maxLength) {
        Map<String, String> labels = CacheConfigLabels.defaults();
        labels.put("block_size", Integer.toString(cache.blockSize()));
        labels.put("effective_attention_block_size", Integer.toString(cache.blockSize()));
        labels.put("user_specified_block_size", CacheConfigLabels.bool(cache.blockSizeGiven()));
        labels.put("enable_prefix_caching", CacheConfigLabels.bool(cache.prefixCaching()));
        labels.put("gpu_memory_utilization", Double.toString(cache.memoryUtilization()));
        labels.put("num_gpu_blocks", Integer.toString(cache.blocks()));
        labels.put("num_gpu_blocks_override", cache.blocksGiven() ? Integer.toString(cache.blocks()) : "None");
        labels.put(
                "kv_cache_max_concurrency", Double.toString((double) cache.blocks() * cache.blockSize() / maxLength));
        labels.put("kv_cache_size_tokens", Long.toString((long) cache.blocks() * cache.blockSize()));
        return labels;
    }

    /** Sets faults; the keys are those of {@code POST /sim/faults}, the values as text. What is not named stays as it is. */
    public void setFaults(Map<String, String> changes) {
        lock.lock();
        try {
            faults = faults.with(changes);
        } finally {
            lock.unlock();
        }
    }

    /** Switches all faults off. */
    public void clearFaults() {
        faults = Faults.NONE;
    }

    Faults faults() {
        return faults;
    }

    /** What the next completion meets; counts it. */
    Faults takeFaults() {
        lock.lock();
        try {
            Faults now = faults.now();
            faults = faults.afterOne();
            return now;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets every cached block that no running request uses. */
    public void resetPrefixCache() {
        lock.lock();
        try {
            ranks.forEach(rank -> rank.rank().core().resetCache());
        } finally {
            lock.unlock();
        }
    }

    EngineSettings settings() {
        return settings;
    }

    EngineClock clock() {
        return clock;
    }

    /** The rank with the least to do. */
    EngineLoop leastLoaded() {
        return ranks.stream()
                .map(Running::loop)
                .min(Comparator.comparingInt(EngineLoop::load))
                .orElseThrow();
    }

    /** Stops at once, as a killed process does: connections break, running requests get no answer. */
    @Override
    public void close() throws IOException {
        server.close();
        ranks.forEach(rank -> rank.loop().stop());
    }
}
