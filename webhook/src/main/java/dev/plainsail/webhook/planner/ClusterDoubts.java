package dev.plainsail.webhook.planner;

import dev.plainsail.dra.Device;
import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceRequest;
import dev.plainsail.dra.Slices;
import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.ClaimSource;
import dev.plainsail.webhook.plan.Intent.Devices;
import dev.plainsail.webhook.plan.Nearest;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import dev.plainsail.webhook.workload.Trees;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Warnings that need the cluster or the whole workload; never a change, never a refusal. Nothing is said past the deadline. */
public final class ClusterDoubts {

    private final ClusterView cluster;
    private final DeviceExpressions expressions;
    private final LongSupplier nanoTime;

    public ClusterDoubts(ClusterView cluster, DeviceExpressions expressions, LongSupplier nanoTime) {
        this.cluster = cluster;
        this.expressions = expressions;
        this.nanoTime = nanoTime;
    }

    /** @param deadlineNanos on the scale of the clock that was given */
    public void look(Subject subject, ClusterView.Rollout rollout, long deadlineNanos, Problems problems) {
        sharedClaim(subject, rollout, problems);
        Optional<Asked<Devices>> asked = subject.intent().devices();
        if (asked.isEmpty() || !(asked.get().value() instanceof Devices.These these)) {
            return;
        }
        cluster.snapshot()
                .ifPresent(snapshot ->
                        look(these.claim(), asked.get().written(), rollout, snapshot, deadlineNanos, problems));
    }

    private static void sharedClaim(Subject subject, ClusterView.Rollout rollout, Problems problems) {
        subject.intent().claim().ifPresent(asked -> {
            long pods = rollout.pods();
            if (asked.value() instanceof ClaimSource.Named(String name) && pods > 1) {
                problems.warn(
                        Caution.SHARED_CLAIM,
                        asked.written(),
                        "all " + pods + " pods share the one claim " + name
                                + " and its node; write template/NAME, or `plainsail.dev/devices`, to give each its own");
            }
        });
    }

    private void look(
            DeviceClaim claim,
            Written written,
            ClusterView.Rollout rollout,
            ClusterView.Snapshot snapshot,
            long deadlineNanos,
            Problems problems) {
        Set<String> classes = snapshot.deviceClasses().stream()
                .map(object -> Trees.text(object.path("metadata"), "name"))
                .collect(Collectors.toCollection(TreeSet::new));
        List<String> unknown =
                claim.classes().stream().filter(name -> !classes.contains(name)).toList();
        unknown.forEach(name -> problems.warn(
                Caution.UNKNOWN_DEVICE_CLASS,
                written,
                "there is no device class " + name + " in this cluster"
                        + Nearest.of(name, classes)
                                .map(near -> "; did you mean " + near + "?")
                                .orElse(
                                        classes.isEmpty()
                                                ? ", nor any other"
                                                : "; there are " + String.join(", ", classes))));
        BooleanSupplier isLate = () -> nanoTime.getAsLong() >= deadlineNanos;
        if (isLate.getAsBoolean()) {
            return;
        }
        QuotaDoubts.look(claim, written, rollout, snapshot, problems);
        if (!unknown.isEmpty() || isLate.getAsBoolean()) {
            return;
        }
        List<Device> devices = Slices.devices(snapshot.slices());
        DeviceMatching matching = new DeviceMatching(expressions, classSelectors(snapshot), devices, isLate);
        boolean isSatisfiable = true;
        for (DeviceRequest request : claim.requests()) {
            Optional<String> doubt = matching.doubt(request);
            doubt.ifPresent(text -> problems.warn(Caution.NO_MATCHING_DEVICE, written, text));
            isSatisfiable &= doubt.isEmpty();
        }
        if (isSatisfiable && !matching.isOutOfTime()) {
            RolloutDoubts.look(claim, written, rollout, snapshot, matching, problems);
        }
    }

    private static Map<String, List<String>> classSelectors(ClusterView.Snapshot snapshot) {
        Map<String, List<String>> result = new HashMap<>();
        for (JsonNode object : snapshot.deviceClasses()) {
            List<String> selectors = object.path("spec")
                    .path("selectors")
                    .valueStream()
                    .map(selector -> Trees.text(selector.path("cel"), "expression"))
                    .filter(text -> !text.isEmpty())
                    .toList();
            result.put(Trees.text(object.path("metadata"), "name"), selectors);
        }
        return result;
    }
}
