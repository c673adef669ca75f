package dev.plainsail.e2e.node;

import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.HostIP;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** From what is seen of a pod's containers to the status that the API server gets: only the fields that a kubelet owns. */
final class PodStatuses {

    private final PodPlace place;
    private final Instant startedAt;
    private final Map<String, PodCondition> conditions = new HashMap<>();

    PodStatuses(PodPlace place, Instant startedAt) {
        this.place = place;
        this.startedAt = startedAt;
    }

    /** What was seen. {@code initialized}: every init container is over, every sidecar has started. */
    record Seen(
            Pod pod,
            List<ContainerRunner> init,
            List<ContainerRunner> main,
            boolean sandboxReady,
            boolean initialized,
            String failure,
            String message) {}

    Instant startedAt() {
        return startedAt;
    }

    PodStatus of(Seen seen, Instant now) {
        String phase = phase(seen);
        boolean over = phase.equals("Succeeded") || phase.equals("Failed");
        List<String> unready = Stream.concat(seen.init().stream().filter(PodStatuses::isSidecar), seen.main().stream())
                .filter(c -> !c.isReady())
                .map(c -> c.container().getName())
                .toList();
        String reason = over ? "Pod" + (phase.equals("Succeeded") ? "Completed" : "Failed") : "ContainersNotReady";
        String message = "containers with unready status: " + unready;
        boolean ready = unready.isEmpty() && seen.initialized() && !over;
        boolean gates = seen.pod().getSpec().getReadinessGates().stream()
                .allMatch(gate -> isTrue(seen.pod(), gate.getConditionType()));
        List<PodCondition> all = new ArrayList<>();
        all.add(condition("PodReadyToStartContainers", seen.sandboxReady(), "", "", now));
        all.add(condition(
                "Initialized", seen.initialized(), "ContainersNotInitialized", "init containers are not done", now));
        all.add(condition("ContainersReady", ready, reason, message, now));
        all.add(condition(
                "Ready",
                ready && gates,
                ready ? "ReadinessGatesNotReady" : reason,
                ready ? "a readiness gate is not true" : message,
                now));
        PodStatusBuilder status = new PodStatusBuilder()
                .withPhase(phase)
                .withConditions(all)
                .withStartTime(text(startedAt))
                .withHostIP(place.nodeIp())
                .withHostIPs(new HostIP(place.nodeIp()))
                .withPodIP(place.podIp())
                .withPodIPs(new PodIP(place.podIp()))
                .withObservedGeneration(seen.pod().getMetadata().getGeneration())
                .withContainerStatuses(seen.main().stream().map(PodStatuses::of).toList())
                .withInitContainerStatuses(
                        seen.init().stream().map(PodStatuses::of).toList());
        if (!seen.failure().isEmpty()) {
            status.withReason(seen.failure()).withMessage(seen.message());
        }
        return status.build();
    }

    /** The kubelet's rules. */
    static String phase(Seen seen) {
        String policy = Objects.requireNonNullElse(seen.pod().getSpec().getRestartPolicy(), "Always");
        if (!seen.failure().isEmpty()) {
            return "Failed";
        }
        if (!seen.initialized()) {
            boolean failed = seen.init().stream().anyMatch(c -> !isSidecar(c) && c.isTerminated() && !c.isSucceeded());
            return failed && policy.equals("Never") ? "Failed" : "Pending";
        }
        boolean someNeverRan = seen.main().stream()
                .anyMatch(c ->
                        c.state() instanceof ContainerState.Waiting && c.last().isEmpty());
        if (someNeverRan) {
            return "Pending";
        }
        boolean over = seen.main().stream().allMatch(ContainerRunner::isTerminated);
        if (!over || policy.equals("Always")) {
            return "Running";
        }
        if (seen.main().stream().allMatch(ContainerRunner::isSucceeded)) {
            return "Succeeded";
        }
        return policy.equals("Never") ? "Failed" : "Running";
    }

    static boolean isSidecar(ContainerRunner init) {
        return "Always".equals(init.container().getRestartPolicy());
    }

    private static boolean isTrue(Pod pod, String type) {
        return pod.getStatus() != null
                && pod.getStatus().getConditions().stream()
                        .anyMatch(c -> c.getType().equals(type) && "True".equals(c.getStatus()));
    }

    private PodCondition condition(String type, boolean holds, String reason, String message, Instant now) {
        PodCondition before = conditions.get(type);
        String status = holds ? "True" : "False";
        String since = before != null && before.getStatus().equals(status) ? before.getLastTransitionTime() : text(now);
        PodCondition condition = new PodConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(holds || reason.isEmpty() ? null : reason)
                .withMessage(holds || message.isEmpty() ? null : message)
                .withLastTransitionTime(since)
                .build();
        conditions.put(type, condition);
        return condition;
    }

    private static ContainerStatus of(ContainerRunner runner) {
        ContainerStatusBuilder status = new ContainerStatusBuilder()
                .withName(runner.container().getName())
                .withImage(runner.container().getImage())
                .withImageID("process")
                .withRestartCount(runner.restarts())
                .withStarted(runner.isStarted())
                .withReady(runner.isReady() || (runner.isInit() && !isSidecar(runner) && runner.isSucceeded()))
                .withState(state(runner.state()).build());
        runner.pid().ifPresent(pid -> status.withContainerID("process://" + pid));
        runner.previous().ifPresent(end -> status.withLastState(state(end).build()));
        return status.build();
    }

    private static ContainerStateBuilder state(ContainerState state) {
        return switch (state) {
            case ContainerState.Waiting(String reason, String message) ->
                new ContainerStateBuilder()
                        .withNewWaiting()
                        .withReason(reason)
                        .withMessage(message.isEmpty() ? null : message)
                        .endWaiting();
            case ContainerState.Running(Instant since) -> new ContainerStateBuilder().withNewRunning(text(since));
            case ContainerState.Terminated(int code, String reason, String message, Instant began, Instant ended) ->
                new ContainerStateBuilder()
                        .withTerminated(new ContainerStateTerminatedBuilder()
                                .withExitCode(code)
                                .withReason(reason)
                                .withMessage(message.isEmpty() ? null : message)
                                .withStartedAt(text(began))
                                .withFinishedAt(text(ended))
                                .build());
        };
    }

    static String text(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
