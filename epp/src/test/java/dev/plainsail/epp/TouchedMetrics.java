package dev.plainsail.epp;

import dev.plainsail.epp.observability.EppMetrics;
import dev.plainsail.epp.prefix.BlockHashes;
import dev.plainsail.epp.routing.Outcome;
import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.Map;

/** Metrics with labels are shown once something was counted. */
final class TouchedMetrics {
    private TouchedMetrics() {}

    static void touch(EppMetrics metrics) {
        InferenceRequest request =
                new InferenceRequest(1, "/", null, "m", false, 10, 3, -1, BlockHashes.NONE, Map.of(), null);
        metrics.opened();
        metrics.forwarded(request, 1000);
        metrics.refused(Reason.NO_ENDPOINT, request);
        metrics.counting((ticket, outcome) -> {}).accept(1, new Outcome(200, "10.0.0.1:80", 5, 5, false, false));
        metrics.closed();
    }
}
