package dev.plainsail.webhook.workload;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The kinds of object that admission knows, and where each keeps its pod templates. */
public enum WorkloadKind {
    POD("", "Pod"),
    DEPLOYMENT("apps", "Deployment"),
    STATEFUL_SET("apps", "StatefulSet"),
    DAEMON_SET("apps", "DaemonSet"),
    JOB("batch", "Job"),
    CRON_JOB("batch", "CronJob"),
    LEADER_WORKER_SET("leaderworkerset.x-k8s.io", "LeaderWorkerSet");

    private static final List<String> TEMPLATE = List.of("spec", "template");
    private static final List<String> JOB_TEMPLATE = List.of("spec", "jobTemplate", "spec", "template");
    private static final List<String> LEADER_TEMPLATE = List.of("spec", "leaderWorkerTemplate", "leaderTemplate");
    private static final List<String> WORKER_TEMPLATE = List.of("spec", "leaderWorkerTemplate", "workerTemplate");

    private final String group;
    private final String kind;

    WorkloadKind(String group, String kind) {
        this.group = group;
        this.kind = kind;
    }

    public static Optional<WorkloadKind> of(String group, String kind) {
        for (WorkloadKind candidate : values()) {
            if (candidate.group.equals(group) && candidate.kind.equals(kind)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    /** As in {@code metadata.ownerReferences[].kind}. */
    public String kind() {
        return kind;
    }

    public String group() {
        return group;
    }

    /** The pod templates that the object has, leader first; none for a pod, which is one itself. */
    public List<PodTemplate> templates(JsonNode object) {
        return switch (this) {
            case POD -> List.of();
            case DEPLOYMENT, STATEFUL_SET, DAEMON_SET, JOB -> present(object, TEMPLATE, GroupPosition.ALONE);
            case CRON_JOB -> present(object, JOB_TEMPLATE, GroupPosition.ALONE);
            case LEADER_WORKER_SET -> groupTemplates(object);
        };
    }

    private static List<PodTemplate> groupTemplates(JsonNode object) {
        int size = GroupPosition.sizeOf(object);
        List<PodTemplate> leader = present(object, LEADER_TEMPLATE, GroupPosition.leader(size));
        if (leader.isEmpty()) {
            return present(object, WORKER_TEMPLATE, GroupPosition.either(size));
        }
        List<PodTemplate> worker = present(object, WORKER_TEMPLATE, GroupPosition.worker(size));
        return worker.isEmpty() ? leader : List.of(leader.getFirst(), worker.getFirst());
    }

    private static List<PodTemplate> present(JsonNode object, List<String> path, GroupPosition position) {
        JsonNode node = object;
        for (String step : path) {
            node = node.path(step);
        }
        return node.isObject() ? List.of(new PodTemplate(path, node, position)) : List.of();
    }
}
