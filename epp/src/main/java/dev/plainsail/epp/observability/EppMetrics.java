package dev.plainsail.epp.observability;

import dev.plainsail.epp.protocol.ConnectionFailure;
import dev.plainsail.epp.protocol.StreamEvents;
import dev.plainsail.epp.routing.Endings;
import dev.plainsail.epp.routing.Outcome;
import dev.plainsail.epp.routing.Outcomes;
import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.routing.TokenUsage;
import dev.plainsail.epp.scheduling.InferenceRequest;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is counted as requests pass; what is only looked at when somebody asks stands in {@link WatchedMetrics}. Those of
 * llm-d keep its names and labels; ours begin with {@code plainsail_}. Labels come from enums and from the models that
 * clients name, of which the first {@value #MOST_MODELS} are told apart.
 */
public final class EppMetrics implements StreamEvents, Endings {
    private static final Logger LOG = LoggerFactory.getLogger(EppMetrics.class);
    private static final int MOST_MODELS = 1000;
    private static final int CLIENT_ERROR = 400;
    private static final String OTHER = "other";
    private static final double NANOS = 1e-9;

    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final Map<String, ModelPoints> byModel = new ConcurrentHashMap<>();
    private final ModelMetrics models = new ModelMetrics(registry);

    private final Histogram processing = Histogram.builder()
            .name("llm_d_epp_request_processing_duration_seconds")
            .help("From the last byte of a request to its endpoint")
            .classicOnly()
            .classicUpperBounds(
                    0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 10)
            .register(registry);
    private final Gauge streams = Gauge.builder()
            .name("llm_d_epp_extproc_streams_inflight")
            .help("Open external processing streams")
            .register(registry);
    private final Counter streamsTotal = Counter.builder()
            .name("plainsail_streams_total")
            .help("External processing streams that were opened")
            .register(registry);
    private final Counter refused = Counter.builder()
            .name("plainsail_requests_refused_total")
            .help("Requests that were refused, by reason")
            .labelNames("reason")
            .register(registry);
    private final Counter failures = Counter.builder()
            .name("plainsail_stream_failures_total")
            .help("Streams that ended by a mistake of the picker")
            .register(registry);
    private final Counter connectionFailures = Counter.builder()
            .name("plainsail_connection_failures_total")
            .help("Connections to the ext_proc port that ended before they could be used")
            .labelNames("reason")
            .register(registry);
    private final Counter violations = Counter.builder()
            .name("plainsail_protocol_violations_total")
            .help("Messages that a proxy should not have sent")
            .register(registry);
    private final Counter outcomes = Counter.builder()
            .name("plainsail_outcomes_total")
            .help("Ends of requests as the proxy reported them, by class of status or what cut them")
            .labelNames("outcome")
            .register(registry);
    private final Histogram durations = Histogram.builder()
            .name("plainsail_request_duration_seconds")
            .help("From the first byte of a request to the last of its response, as the proxy reported it")
            .classicOnly()
            .classicUpperBounds(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800)
            .register(registry);

    public EppMetrics() {
        JvmMetrics.builder().register(registry);
        for (Reason reason : Reason.values()) {
            refused.initLabelValues(reason.label());
        }
    }

    public PrometheusRegistry registry() {
        return registry;
    }

    @Override
    public void opened() {
        streams.inc();
        streamsTotal.inc();
    }

    @Override
    public void closed() {
        streams.dec();
    }

    @Override
    public void forwarded(InferenceRequest request, @Nullable String target, long heldNanos) {
        points(request.model(), target).forwarded(request);
        processing.observe(heldNanos * NANOS);
    }

    @Override
    public void refused(Reason reason, @Nullable InferenceRequest request) {
        refused.labelValues(reason.label()).inc();
        points(request == null ? null : request.model(), null).failed(reason.status());
        LOG.atInfo()
                .setMessage("request refused")
                .addKeyValue("reason", reason.label())
                .addKeyValue("status", reason.status())
                .log();
    }

    @Override
    public void failed(Throwable cause) {
        failures.inc();
        LOG.atError().setMessage("a stream failed").setCause(cause).log();
    }

    public void failed(ConnectionFailure failure) {
        connectionFailures.labelValues(failure.label()).inc();
    }

    @Override
    public void violated(String problem) {
        violations.inc();
        LOG.atWarn()
                .setMessage("the proxy broke the protocol")
                .addKeyValue("problem", problem)
                .log();
    }

    @Override
    public void ended(@Nullable String model, @Nullable String target, boolean streamed, Outcome outcome) {
        ModelPoints points = points(model, target);
        if (outcome.status() >= CLIENT_ERROR) {
            points.failed(outcome.status());
        }
        double seconds = outcome.durationNanos() * NANOS;
        if (outcome.durationNanos() >= 0) {
            points.durations().observe(seconds);
        }
        points.responseSizes().observe((double) outcome.responseBytes());
        double firstToken = outcome.firstTokenNanos() * NANOS;
        if (outcome.firstTokenNanos() >= 0) {
            points.firstToken(streamed).observe(firstToken);
        }
        tokens(points, outcome.usage(), seconds, streamed ? firstToken : -1);
    }

    private static void tokens(ModelPoints points, TokenUsage usage, double seconds, double firstToken) {
        if (usage.cached() >= 0) {
            points.cachedTokens().observe(usage.cached());
        }
        int written = usage.completion();
        if (written < 0) {
            return;
        }
        points.outputTokens().observe(written);
        if (written > 0 && seconds >= 0) {
            points.perToken().observe(seconds / written);
        }
        if (written > 1 && firstToken >= 0) {
            points.perLaterToken().observe((seconds - firstToken) / (written - 1));
        }
    }

    /** Counts what passes on its way to those who end bookings. */
    public Outcomes counting(Outcomes next) {
        return (ticket, outcome) -> {
            count(outcome);
            next.accept(ticket, outcome);
        };
    }

    private void count(Outcome outcome) {
        String label = outcome.clientGone()
                ? "client-gone"
                : outcome.upstreamFailed() ? "upstream-failed" : outcome.status() / 100 + "xx";
        outcomes.labelValues(label).inc();
        if (outcome.durationNanos() >= 0) {
            durations.observe(outcome.durationNanos() * NANOS);
        }
    }

    private ModelPoints points(@Nullable String model, @Nullable String target) {
        String name = model == null ? "" : model;
        String key = target == null ? name : name + '\n' + target;
        ModelPoints known = byModel.get(key);
        if (known != null) {
            return known;
        }
        if (byModel.size() >= MOST_MODELS) {
            return byModel.computeIfAbsent(OTHER, other -> models.points(other, other));
        }
        return byModel.computeIfAbsent(key, unknown -> models.points(name, target == null ? name : target));
    }
}
