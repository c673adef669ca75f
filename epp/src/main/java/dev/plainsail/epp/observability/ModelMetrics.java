package dev.plainsail.epp.observability;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** The metrics that are told apart by model, under llm-d's names, with its labels. */
final class ModelMetrics {
    private static final String[] LABELS = {"model_name", "target_model_name", "fairness_id", "priority"};
    private static final double[] SECONDS = {
        0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60, 120, 180,
        240, 300, 480, 600, 900, 1200, 1800, 3600
    };
    private static final double[] PER_TOKEN = {
        0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5, 10
    };

    private final Counter requests;
    private final Counter errors;
    private final Histogram sizes;
    private final Histogram inputTokens;
    private final Histogram durations;
    private final Histogram responseSizes;
    private final Histogram outputTokens;
    private final Histogram cachedTokens;
    private final Histogram firstToken;
    private final Histogram perToken;
    private final Histogram perLaterToken;

    ModelMetrics(PrometheusRegistry registry) {
        requests = Counter.builder()
                .name("llm_d_epp_request_total")
                .help("Requests that were sent to an endpoint")
                .labelNames(LABELS)
                .register(registry);
        errors = Counter.builder()
                .name("llm_d_epp_request_error_total")
                .help("Requests that were refused, or that an endpoint answered with 4xx or 5xx, by HTTP status")
                .labelNames(with("error_code"))
                .register(registry);
        sizes = powers("llm_d_epp_request_size_bytes", "Size of request bodies", 64, 12)
                .register(registry);
        inputTokens = powers(
                        "llm_d_epp_request_input_tokens",
                        "Prompt tokens as estimated when the request was decided",
                        1,
                        11)
                .register(registry);
        durations = seconds("llm_d_epp_request_duration_seconds", "From a request's first byte to its answer's last")
                .register(registry);
        responseSizes = powers("llm_d_epp_response_size_bytes", "Size of answers' bodies", 1, 14)
                .register(registry);
        outputTokens = powers("llm_d_epp_request_output_tokens", "Tokens of answers, as engines count them", 1, 10)
                .register(registry);
        cachedTokens = powers(
                        "llm_d_epp_request_cached_tokens",
                        "Prompt tokens that engines took from their caches, as they count them",
                        1,
                        11)
                .register(registry);
        firstToken = seconds(
                        "llm_d_epp_request_ttft_seconds",
                        "From a request's first byte to the first of its answer's body")
                .labelNames(with("streaming"))
                .register(registry);
        perToken = histogram("llm_d_epp_request_ntpot_seconds", "Duration of a request for each token of its answer")
                .classicUpperBounds(PER_TOKEN)
                .register(registry);
        perLaterToken = histogram(
                        "llm_d_epp_request_streaming_tpot_seconds",
                        "Time for each token of a streamed answer after the first")
                .classicUpperBounds(PER_TOKEN)
                .register(registry);
    }

    private static String[] with(String more) {
        return new String[] {LABELS[0], LABELS[1], LABELS[2], LABELS[3], more};
    }

    private static Histogram.Builder histogram(String name, String help) {
        return Histogram.builder().name(name).help(help).labelNames(LABELS).classicOnly();
    }

    private static Histogram.Builder seconds(String name, String help) {
        return histogram(name, help).classicUpperBounds(SECONDS);
    }

    private static Histogram.Builder powers(String name, String help, double first, int count) {
        return histogram(name, help).classicExponentialUpperBounds(first, 4, count);
    }

    ModelPoints points(String model, String target) {
        String[] labels = {model, target, "", "0"};
        return new ModelPoints(
                requests.labelValues(labels),
                status -> errors.labelValues(model, target, "", "0", Integer.toString(status)),
                sizes.labelValues(labels),
                inputTokens.labelValues(labels),
                durations.labelValues(labels),
                responseSizes.labelValues(labels),
                outputTokens.labelValues(labels),
                cachedTokens.labelValues(labels),
                firstToken.labelValues(model, target, "", "0", "true"),
                firstToken.labelValues(model, target, "", "0", "false"),
                perToken.labelValues(labels),
                perLaterToken.labelValues(labels));
    }
}
