package dev.plainsail.webhook.planner;

import dev.plainsail.dra.Device;
import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceRequest;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Written;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * A rolling update that starts a new pod before an old one ends needs a device that nobody holds; where there is none, the new
 * pod waits for ever and the Deployment looks healthy meanwhile.
 */
final class RolloutDoubts {

    private RolloutDoubts() {}

    static void look(
            DeviceClaim claim,
            Written written,
            ClusterView.Rollout rollout,
            ClusterView.Snapshot snapshot,
            DeviceMatching matching,
            Problems problems) {
        if (!rollout.mustSurge()) {
            return;
        }
        Set<String> held = held(snapshot);
        for (DeviceRequest request : claim.requests()) {
            if (!(request instanceof DeviceRequest.Exactly exactly)
                    || request.count().isEmpty()) {
                continue;
            }
            List<Device> free = matching.matching(exactly.selection()).stream()
                    .filter(device -> device.allowMultipleAllocations() || !held.contains(device.path()))
                    .toList();
            if (!matching.isOutOfTime() && free.size() < request.count().getAsLong()) {
                problems.warn(
                        Caution.ROLLOUT_NEEDS_DEVICE,
                        written,
                        "a rolling update starts the new pod first and needs "
                                + request.count().getAsLong() + " more of class "
                                + exactly.selection().deviceClassName() + ", but " + free.size()
                                + (free.size() == 1 ? " is" : " are")
                                + " free now; set strategy.rollingUpdate to maxSurge: 0 and maxUnavailable: 1, or the type to Recreate");
                return;
            }
        }
    }

    private static Set<String> held(ClusterView.Snapshot snapshot) {
        Set<String> held = new HashSet<>();
        for (JsonNode claim : snapshot.claims()) {
            claim.path("status")
                    .path("allocation")
                    .path("devices")
                    .path("results")
                    .forEach(result -> {
                        if (!result.path("adminAccess").asBoolean(false)) {
                            held.add(result.path("driver").asString("") + "/"
                                    + result.path("pool").asString("") + "/"
                                    + result.path("device").asString(""));
                        }
                    });
        }
        return held;
    }
}
