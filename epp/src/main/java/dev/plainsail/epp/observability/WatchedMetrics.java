package dev.plainsail.epp.observability;

import dev.plainsail.epp.routing.PoolState;
import dev.plainsail.epp.routing.PoolState.EndpointState;
import dev.plainsail.epp.routing.SchedulingRouter.ModelPair;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Numbers that other parts keep anyway: they are read when somebody asks for the metrics, and cost nothing before. */
public final class WatchedMetrics {
    private static final String POOL = "name";

    private final PrometheusRegistry registry;

    public WatchedMetrics(PrometheusRegistry registry) {
        this.registry = registry;
    }

    public void heldBytes(LongSupplier bytes) {
        gauge("plainsail_held_body_bytes", "Memory held by request bodies")
                .callback(callback -> callback.call((double) bytes.getAsLong()))
                .register(registry);
    }

    public void prefixBlocks(LongSupplier blocks) {
        gauge("llm_d_epp_prefix_indexer_size", "Prompt blocks in the prefix index")
                .callback(callback -> callback.call((double) blocks.getAsLong()))
                .register(registry);
    }

    public void scrapeFailures(LongSupplier failures) {
        CounterWithCallback.builder()
                .name("llm_d_epp_datalayer_poll_errors_total")
                .help("Requests to engines that brought no report")
                .labelNames("source_type")
                .callback(callback -> callback.call((double) failures.getAsLong(), "metrics-data-source"))
                .register(registry);
    }

    public void version(String version) {
        Info.builder()
                .name("llm_d_epp_info")
                .help("The build")
                .labelNames("commit", "build_ref")
                .register(registry)
                .setLabelValues("", version);
    }

    public void running(Supplier<Map<ModelPair, Integer>> running) {
        gauge("llm_d_epp_request_running", "Requests that were sent to an endpoint and have not ended")
                .labelNames("model_name", "target_model_name", "fairness_id", "priority")
                .callback(callback -> running.get().forEach((models, count) -> {
                    String model = text(models.model());
                    callback.call(count, model, models.target() == null ? model : text(models.target()), "", "0");
                }))
                .register(registry);
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    /**
     * Of each pool: how many endpoints it has, the mean and deviation of what they say of themselves; and what is in flight
     * to each. The pools are looked at once for all of it.
     */
    public void pools(Supplier<List<PoolState>> pools) {
        registry.register((MultiCollector) () -> new MetricSnapshots(snapshots(pools.get())));
    }

    private static List<MetricSnapshot> snapshots(List<PoolState> pools) {
        List<MetricSnapshot> snapshots = new ArrayList<>();
        GaugeSnapshot.Builder ready = snapshot("llm_d_epp_ready_endpoints", "Endpoints that may get requests");
        pools.forEach(pool -> ready.dataPoint(point(pool.endpoints().size(), Labels.of(POOL, pool.name()))));
        snapshots.add(ready.build());
        moments(snapshots, pools, "queue_size", "waiting requests", EndpointState::waiting);
        moments(snapshots, pools, "running_requests", "running requests", EndpointState::running);
        moments(snapshots, pools, "kv_cache_utilization", "use of the KV cache", EndpointState::kvCacheUsed);
        GaugeSnapshot.Builder queues =
                snapshot("llm_d_epp_per_endpoint_queue_size", "Waiting requests of each endpoint that says so");
        pools.forEach(pool -> pool.endpoints().stream()
                .filter(endpoint -> !Double.isNaN(endpoint.waiting()))
                .forEach(endpoint -> queues.dataPoint(point(
                        endpoint.waiting(), Labels.of(POOL, pool.name(), "model_server_endpoint", endpoint.name())))));
        snapshots.add(queues.build());
        snapshots.add(inFlight(pools, "requests", "Requests in flight to each endpoint", EndpointState::inFlight));
        snapshots.add(inFlight(
                pools,
                "tokens",
                "Prompt tokens in flight to each endpoint that it has not computed yet",
                EndpointState::pendingPrefill));
        return snapshots;
    }

    private static GaugeSnapshot.Builder snapshot(String name, String help) {
        return GaugeSnapshot.builder().name(name).help(help);
    }

    private static GaugeDataPointSnapshot point(double value, Labels labels) {
        return GaugeDataPointSnapshot.builder().value(value).labels(labels).build();
    }

    private static void moments(
            List<MetricSnapshot> snapshots,
            List<PoolState> pools,
            String name,
            String what,
            ToDoubleFunction<EndpointState> value) {
        GaugeSnapshot.Builder means = snapshot("llm_d_epp_average_" + name, "Mean of the endpoints' " + what);
        GaugeSnapshot.Builder deviations =
                snapshot("llm_d_epp_std_dev_" + name, "Standard deviation of the endpoints' " + what);
        for (PoolState pool : pools) {
            Moments moments = moments(pool, value);
            means.dataPoint(point(moments.mean(), Labels.of(POOL, pool.name())));
            deviations.dataPoint(point(moments.deviation(), Labels.of(POOL, pool.name())));
        }
        snapshots.add(means.build());
        snapshots.add(deviations.build());
    }

    private record Moments(double mean, double deviation) {}

    /** Of those endpoints that say it; NaN if none does. */
    private static Moments moments(PoolState pool, ToDoubleFunction<EndpointState> value) {
        double[] known = pool.endpoints().stream()
                .mapToDouble(value)
                .filter(each -> !Double.isNaN(each))
                .toArray();
        double sum = 0;
        for (double each : known) {
            sum += each;
        }
        double mean = sum / known.length;
        double squares = 0;
        for (double each : known) {
            squares += (each - mean) * (each - mean);
        }
        return new Moments(mean, Math.sqrt(squares / known.length));
    }

    private static GaugeSnapshot inFlight(
            List<PoolState> pools, String what, String help, ToDoubleFunction<EndpointState> value) {
        GaugeSnapshot.Builder gauge = snapshot("llm_d_epp_inflight_" + what, help);
        sums(pools, value).forEach((name, sum) -> {
            int slash = name.indexOf('/');
            gauge.dataPoint(point(
                    sum,
                    Labels.of(
                            "endpoint_name",
                            name.substring(slash + 1),
                            "namespace",
                            name.substring(0, Math.max(slash, 0)),
                            "producer_name",
                            "inflight-load-producer",
                            "fairness_id",
                            "",
                            "priority",
                            "0")));
        });
        return gauge.build();
    }

    /** By endpoint, over the pools that it is in. */
    private static Map<String, Double> sums(List<PoolState> pools, ToDoubleFunction<EndpointState> value) {
        Map<String, Double> sums = new TreeMap<>();
        for (PoolState pool : pools) {
            for (EndpointState endpoint : pool.endpoints()) {
                sums.merge(endpoint.name(), value.applyAsDouble(endpoint), Double::sum);
            }
        }
        return sums;
    }

    private static GaugeWithCallback.Builder gauge(String name, String help) {
        return GaugeWithCallback.builder().name(name).help(help);
    }
}
