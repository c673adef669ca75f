package dev.plainsail.epp;

import dev.plainsail.epp.observability.EppMetrics;
import dev.plainsail.epp.observability.WatchedMetrics;
import dev.plainsail.epp.prefix.BlockHashes;
import dev.plainsail.epp.routing.Outcome;
import dev.plainsail.epp.routing.PoolState;
import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.routing.SchedulingRouter.ModelPair;
import dev.plainsail.epp.routing.TokenUsage;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.List;
import java.util.Map;

/** Metrics with labels are shown once something was counted. */
final class TouchedMetrics {
    private TouchedMetrics() {}

    static void touch(EppMetrics metrics) {
        InferenceRequest request =
                new InferenceRequest(1, "/", null, "m", false, 10, 3, -1, BlockHashes.NONE, Map.of(), null);
        metrics.opened();
        metrics.forwarded(request, "n", 1000);
        metrics.refused(Reason.NO_ENDPOINT, request);
        metrics.counting((ticket, outcome) -> {}).accept(1, new Outcome(200, "10.0.0.1:80", 5, 5, false, false));
        metrics.ended("m", "n", true, new Outcome(200, "10.0.0.1:80", 5, 5, false, false, 3, new TokenUsage(3, 2, 1)));
        metrics.ended("m", null, false, new Outcome(500, "10.0.0.1:80", 5, 5, false, false));
        metrics.closed();
        watch(new WatchedMetrics(metrics.registry()));
    }

    private static void watch(WatchedMetrics watched) {
        watched.heldBytes(() -> 1);
        watched.prefixBlocks(() -> 1);
        watched.scrapeFailures(() -> 1);
        watched.version("1");
        watched.running(() -> Map.of(new ModelPair("m", null), 1));
        watched.pools(() -> List.of(new PoolState(
                "p", List.of(new PoolState.EndpointState("ns/pod", "10.0.0.1:80", 1, 2, 3, 4, 5, 0.5, false)))));
    }
}
