package dev.plainsail.epp.observability;

import dev.plainsail.epp.scheduling.InferenceRequest;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import java.util.function.IntFunction;

/** What is counted of one model, looked up once. */
record ModelPoints(
        CounterDataPoint requests,
        IntFunction<CounterDataPoint> errors,
        DistributionDataPoint sizes,
        DistributionDataPoint inputTokens,
        DistributionDataPoint durations,
        DistributionDataPoint responseSizes,
        DistributionDataPoint outputTokens,
        DistributionDataPoint cachedTokens,
        DistributionDataPoint firstTokenStreamed,
        DistributionDataPoint firstTokenWhole,
        DistributionDataPoint perToken,
        DistributionDataPoint perLaterToken) {

    void forwarded(InferenceRequest request) {
        requests.inc();
        sizes.observe((double) request.bodyBytes());
        if (request.promptTokens() > 0) {
            inputTokens.observe(request.promptTokens());
        }
    }

    void failed(int status) {
        errors.apply(status).inc();
    }

    DistributionDataPoint firstToken(boolean streamed) {
        return streamed ? firstTokenStreamed : firstTokenWhole;
    }
}
