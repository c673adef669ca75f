package dev.plainsail.webhook;

import dev.plainsail.webhook.admission.AdmissionRecorder;
import dev.plainsail.webhook.admission.Decision;
import dev.plainsail.webhook.workload.WorkloadKind;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;

/**
 * Every metric of the webhook. Labels come from enums, so their number is bounded. Safe for any thread; nothing here blocks.
 */
public final class WebhookMetrics implements AdmissionRecorder {

    /** {@code kind}: workload kind; {@code decision}: unchanged, patched, denied or failed. */
    public static final String DECISIONS = "plainsail_admission_decisions_total";

    /** {@code reason}: why something was refused, one count a problem. */
    public static final String PROBLEMS = "plainsail_admission_problems_total";

    /** {@code reason}: why a warning was given. */
    public static final String WARNINGS = "plainsail_admission_warnings_total";

    public static final String SECONDS = "plainsail_admission_seconds";

    private final Counter decisions;
    private final Counter problems;
    private final Counter warnings;
    private final Histogram seconds;

    public WebhookMetrics(PrometheusRegistry registry) {
        decisions = Counter.builder()
                .name(DECISIONS)
                .help("Admission requests by kind of object and by what became of them.")
                .labelNames("kind", "decision")
                .register(registry);
        problems = Counter.builder()
                .name(PROBLEMS)
                .help("Mistakes that requests were refused for, by reason.")
                .labelNames("reason")
                .register(registry);
        warnings = Counter.builder()
                .name(WARNINGS)
                .help("Warnings given with answers, by reason.")
                .labelNames("reason")
                .register(registry);
        seconds = Histogram.builder()
                .name(SECONDS)
                .help("Time from a whole request to its whole answer, without the network.")
                .labelNames("decision")
                .classicUpperBounds(0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1)
                .register(registry);
    }

    @Override
    public void decided(Optional<WorkloadKind> kind, Decision decision, long nanos) {
        decisions
                .labelValues(kind.map(WorkloadKind::kind).orElse("other"), decision.label())
                .inc();
        seconds.labelValues(decision.label()).observe(nanos / 1e9);
        decision.warnings()
                .forEach(warning ->
                        warnings.labelValues(warning.caution().label()).inc());
        if (decision instanceof Decision.Denied denied) {
            denied.problems()
                    .forEach(problem ->
                            problems.labelValues(problem.reason().label()).inc());
        }
    }
}
