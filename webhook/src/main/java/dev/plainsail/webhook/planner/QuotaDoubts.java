package dev.plainsail.webhook.planner;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.Quantity;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Written;
import dev.plainsail.webhook.workload.Trees;
import java.math.BigDecimal;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Whether the namespace's quota has room for the workload's claims. Quota is enforced when a claim is made, after the pod was
 * accepted, so without this the user sees a pod that waits.
 */
final class QuotaDoubts {

    private static final int ALL = DeviceClaim.LIMIT;

    private QuotaDoubts() {}

    static void look(
            DeviceClaim claim,
            Written written,
            ClusterView.Rollout rollout,
            ClusterView.Snapshot snapshot,
            Problems problems) {
        for (JsonNode quota : snapshot.quotas()) {
            if (!Trees.text(quota.path("metadata"), "namespace").equals(rollout.namespace())) {
                continue;
            }
            for (String className : claim.classes()) {
                room(quota, className + ".deviceclass.resource.k8s.io/devices").ifPresent(room -> {
                    long wanted = wanted(claim, className) * rollout.pods();
                    if (room.compareTo(BigDecimal.valueOf(wanted)) < 0) {
                        problems.warn(
                                Caution.QUOTA,
                                written,
                                rollout.pods() + " pods want " + wanted + " devices of class " + className
                                        + ", but quota " + Trees.text(quota.path("metadata"), "name") + " has room for "
                                        + room.toPlainString());
                    }
                });
            }
        }
    }

    /** As the API server counts: all is 32, alternatives count as their worst. */
    private static long wanted(DeviceClaim claim, String className) {
        return claim.requests().stream()
                .mapToLong(request -> request.selections().stream()
                        .filter(selection -> selection.deviceClassName().equals(className))
                        .mapToLong(selection -> selection.allocation().count().orElse(ALL))
                        .max()
                        .orElse(0))
                .sum();
    }

    private static Optional<BigDecimal> room(JsonNode quota, String resource) {
        Optional<BigDecimal> hard = amount(quota.path("status").path("hard"), resource)
                .or(() -> amount(quota.path("spec").path("hard"), resource));
        BigDecimal used = amount(quota.path("status").path("used"), resource).orElse(BigDecimal.ZERO);
        return hard.map(limit -> limit.subtract(used).max(BigDecimal.ZERO));
    }

    private static Optional<BigDecimal> amount(JsonNode amounts, String resource) {
        return Quantity.parse(amounts.path(resource).asString("")).map(Quantity::value);
    }
}
