package dev.plainsail.webhook.planner;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceRequest;
import dev.plainsail.dra.DeviceSelection;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.ExtendedResource;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.Devices;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import dev.plainsail.webhook.workload.ContainerView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** The device claim: which one, for which containers, and what becomes of device-plugin limits beside it. */
final class DevicesPlanner implements Planner {

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        if (subject.main().isEmpty()) {
            return List.of();
        }
        List<ContainerView> users = new ArrayList<>();
        users.add(subject.main().get());
        users.addAll(subject.sharers());
        List<Change> changes = new ArrayList<>();
        subject.intent().claim().ifPresent(asked -> {
            changes.add(new ClaimEntry(subject, problems).use(asked.value(), asked.written(), users));
            takeOutLimits(subject, problems, asked.written(), users, changes);
        });
        subject.intent().devices().ifPresent(asked -> {
            switch (asked.value()) {
                case Devices.These these -> these(subject, problems, asked, these, users, changes);
                case Devices.Auto auto -> auto(subject, problems, asked.written(), users, changes);
            }
        });
        return changes.stream().filter(change -> !isDone(subject, change)).toList();
    }

    private static void these(
            Subject subject,
            Problems problems,
            Asked<Devices> asked,
            Devices.These these,
            List<ContainerView> users,
            List<Change> changes) {
        DeviceClaim claim = these.claim();
        OptionalLong perPod = DeviceCount.perPod(subject, problems);
        if (these.isCountOpen() && perPod.isPresent() && perPod.getAsLong() <= DeviceClaim.LIMIT) {
            claim = claim.withFirstCount(perPod.getAsLong());
        } else {
            DeviceCount.compare(subject, claim.requests().getFirst(), perPod, asked.written(), problems);
        }
        new ClaimEntry(subject, problems).inject(claim, asked.written(), users, changes);
        takeOutLimits(subject, problems, asked.written(), users, changes);
    }

    private static void auto(
            Subject subject, Problems problems, Written written, List<ContainerView> users, List<Change> changes) {
        OptionalLong perPod = DeviceCount.perPod(subject, problems);
        if (ClaimEntry.isOurs(subject.pod())) {
            return;
        }
        List<MappedLimit> limits = MappedLimit.of(subject.pod(), subject.settings());
        if (limits.size() > 1) {
            problems.refuse(
                    Reason.SEVERAL_LIMITS,
                    written,
                    "several limits ask for devices ("
                            + limits.stream().map(MappedLimit::path).collect(Collectors.joining(", "))
                            + "), so it is not clear which become the claim; write the devices out in `plainsail.dev/devices`");
            return;
        }
        if (limits.isEmpty()) {
            fromParallelism(subject, problems, written, users, perPod, changes);
            return;
        }
        MappedLimit limit = limits.getFirst();
        if (limit.mapping().mode() == ExtendedResource.Mode.NATIVE) {
            DeviceCount.compareLimit(subject, limit, perPod, problems);
            return;
        }
        DeviceClaim claim = DeviceClaim.of(
                new DeviceRequest.Exactly("device", limit.mapping().selection(limit.resource(), limit.count())));
        DeviceCount.compareLimit(subject, limit, perPod, problems);
        new ClaimEntry(subject, problems).inject(claim, written, users, changes);
        takeOutLimits(subject, problems, written, users, changes);
    }

    private static void fromParallelism(
            Subject subject,
            Problems problems,
            Written written,
            List<ContainerView> users,
            OptionalLong perPod,
            List<Change> changes) {
        Optional<String> className = subject.settings().defaultClass();
        if (className.isEmpty() || perPod.isEmpty() || perPod.getAsLong() > DeviceClaim.LIMIT) {
            problems.warn(
                    Caution.NO_DEVICES_KNOWN,
                    written,
                    "no devices are claimed: there is no limit to go by"
                            + (className.isEmpty() ? "" : " and no parallelism")
                            + "; write them out, as in plainsail.dev/devices: \"gpu.nvidia.com x2\""
                            + (perPod.isPresent() && className.isEmpty()
                                    ? ", or set default-class in the settings"
                                    : ""));
            return;
        }
        DeviceClaim claim = DeviceClaim.of(
                new DeviceRequest.Exactly("device", DeviceSelection.of(className.get(), perPod.getAsLong())));
        new ClaimEntry(subject, problems).inject(claim, written, users, changes);
    }

    /** With a claim, a limit on the same devices would give the pod twice as many. */
    private static void takeOutLimits(
            Subject subject, Problems problems, Written written, List<ContainerView> users, List<Change> changes) {
        for (MappedLimit limit : MappedLimit.of(subject.pod(), subject.settings())) {
            if (!limit.isIn(users)) {
                problems.refuseField(
                        Reason.LIMIT_ELSEWHERE,
                        limit.path(),
                        "",
                        "container " + limit.container().name() + " asks for devices of its own beside the claim of "
                                + written.path()
                                + "; remove this limit, or add the container to `plainsail.dev/container`");
                continue;
            }
            changes.add(new Change.TakeOutResource(limit.container().place(), limit.resource()));
            problems.warnField(
                    Caution.LIMIT_TAKEN_OUT,
                    limit.path(),
                    "is taken out of the pod, because the claim gives the devices; quotas on requests."
                            + limit.resource() + " no longer count this pod");
        }
    }

    /** Second pass: what the pod has already. */
    private static boolean isDone(Subject subject, Change change) {
        return switch (change) {
            case Change.SetLabel label ->
                label.value().equals(subject.pod().labels().get(label.key()));
            case Change.SetAnnotation annotation ->
                annotation.value().equals(subject.pod().annotations().get(annotation.key()));
            case Change.UseClaim use -> ClaimEntry.isComplete(subject.pod(), use);
            default -> false;
        };
    }
}
