package dev.plainsail.webhook;

import dev.plainsail.certs.ReloadingKeyManager;
import dev.plainsail.webhook.admission.AdmissionRecorder;
import dev.plainsail.webhook.admission.Decision;
import dev.plainsail.webhook.cluster.ApiRequests;
import dev.plainsail.webhook.templates.TemplateController;
import dev.plainsail.webhook.workload.WorkloadKind;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

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

    /** {@code route}: a path that we serve; {@code code}: HTTP's. */
    public static final String ANSWERS = "plainsail_webhook_answers_total";

    public static final String CERTIFICATE_EXPIRES = "plainsail_certificate_expiry_timestamp_seconds";

    /** Pairs from files that were refused, or failed rounds of our own authority. */
    public static final String CERTIFICATE_FAILURES = "plainsail_certificate_failures_total";

    /** {@code action}: created, deleted or failed. */
    public static final String TEMPLATES = "plainsail_claim_templates_total";

    /** {@code verb}: get (and list), watch, create, update, patch, delete. */
    public static final String API_REQUESTS = "plainsail_api_requests_total";

    private final PrometheusRegistry registry;
    private final Counter answers;
    private final Counter decisions;
    private final Counter problems;
    private final Counter warnings;
    private final Histogram seconds;

    public WebhookMetrics(PrometheusRegistry registry) {
        this.registry = registry;
        answers = Counter.builder()
                .name(ANSWERS)
                .help("HTTP answers by path and status code.")
                .labelNames("route", "code")
                .register(registry);
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

    void answered(String route, int status, Duration took) {
        answers.labelValues(route, Integer.toString(status)).inc();
    }

    void certificate(ReloadingKeyManager served, LongSupplier failures) {
        GaugeWithCallback.builder()
                .name(CERTIFICATE_EXPIRES)
                .help("When the served certificate expires.")
                .callback(callback ->
                        callback.call((double) served.current().expires().getEpochSecond()))
                .register(registry);
        CounterWithCallback.builder()
                .name(CERTIFICATE_FAILURES)
                .help("New certificates that could not be served; the last good one stays.")
                .callback(callback -> callback.call((double) failures.getAsLong()))
                .register(registry);
    }

    void templates(TemplateController controller) {
        CounterWithCallback.builder()
                .name(TEMPLATES)
                .help("Claim templates that this replica created or deleted, and attempts that failed.")
                .labelNames("action")
                .callback(callback -> {
                    callback.call((double) controller.created(), "created");
                    callback.call((double) controller.deleted(), "deleted");
                    callback.call((double) controller.failed(), "failed");
                })
                .register(registry);
    }

    void requests(ApiRequests requests) {
        CounterWithCallback.builder()
                .name(API_REQUESTS)
                .help("Requests to the API server, each try one.")
                .labelNames("verb")
                .callback(callback -> {
                    for (ApiRequests.Verb verb : ApiRequests.Verb.values()) {
                        callback.call((double) requests.count(verb), verb.label());
                    }
                })
                .register(registry);
    }
}
