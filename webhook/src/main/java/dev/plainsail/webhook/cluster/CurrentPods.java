package dev.plainsail.webhook.cluster;

import dev.plainsail.webhook.cluster.LiveReader.ForbiddenException;
import dev.plainsail.webhook.cluster.LiveReader.Resource;
import dev.plainsail.webhook.cluster.LiveWorkloads.Found;
import dev.plainsail.webhook.workload.Trees;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Finds the pods that come from a workload's template as it is now, each kind by its controller's own rule: a Deployment's
 * by the ReplicaSet with an equal template, those with revisions by the newest one. Pods of an older template say nothing
 * about the next one.
 */
final class CurrentPods {

    private static final String GROUP_NAME = "leaderworkerset.sigs.k8s.io/name";
    private static final String GROUP_REVISION = "leaderworkerset.sigs.k8s.io/template-revision-hash";
    private static final String REVISION = "controller-revision-hash";

    /** Labels that controllers put on the templates they make pods from. */
    private static final Set<String> MADE_LABELS = Set.of(
            "pod-template-hash",
            "controller-uid",
            "job-name",
            "batch.kubernetes.io/controller-uid",
            "batch.kubernetes.io/job-name");

    private final LiveReader reader;

    CurrentPods(LiveReader reader) {
        this.reader = reader;
    }

    List<JsonNode> of(Found workload) throws ClusterProblemException, ForbiddenException {
        return switch (workload.kind()) {
            case POD -> List.of();
            case DEPLOYMENT -> ofDeployment(workload);
            case STATEFUL_SET ->
                isObserved(workload.object())
                        ? ofRevision(workload, Trees.text(workload.object().path("status"), "updateRevision"))
                        : List.of();
            case DAEMON_SET ->
                isObserved(workload.object())
                        ? ofRevision(workload, newestRevision(workload, selector(workload.object()), REVISION))
                        : List.of();
            case JOB -> ofJob(workload.object());
            case CRON_JOB -> ofCronJob(workload);
            case LEADER_WORKER_SET -> ofGroups(workload);
        };
    }

    private List<JsonNode> ofDeployment(Found workload) throws ClusterProblemException, ForbiddenException {
        JsonNode object = workload.object();
        JsonNode template = object.path("spec").path("template");
        Set<String> sets = list(Resource.REPLICA_SETS, object, selector(object)).stream()
                .filter(set -> isOwned(set, Set.of(uid(object))))
                .filter(set -> isSame(set.path("spec").path("template"), template))
                .map(CurrentPods::uid)
                .collect(Collectors.toSet());
        return sets.isEmpty() ? List.of() : pods(object, selector(object), sets);
    }

    private List<JsonNode> ofRevision(Found workload, String revision)
            throws ClusterProblemException, ForbiddenException {
        JsonNode object = workload.object();
        return pods(object, selector(object), Set.of(uid(object))).stream()
                .filter(pod -> label(pod, REVISION).equals(revision))
                .toList();
    }

    /** A Job's template never changes. */
    private List<JsonNode> ofJob(JsonNode job) throws ClusterProblemException, ForbiddenException {
        return pods(job, selector(job), Set.of(uid(job)));
    }

    /** Of the newest Job that has any and was made from the template as it is now. */
    private List<JsonNode> ofCronJob(Found workload) throws ClusterProblemException, ForbiddenException {
        JsonNode template =
                workload.object().path("spec").path("jobTemplate").path("spec").path("template");
        List<JsonNode> jobs = list(Resource.JOBS, workload.object(), "").stream()
                .filter(job -> isOwned(job, Set.of(uid(workload.object()))))
                .filter(job -> isSame(job.path("spec").path("template"), template))
                .sorted(Comparator.comparing(CurrentPods::created).reversed())
                .toList();
        for (JsonNode job : jobs) {
            List<JsonNode> pods = ofJob(job);
            if (!pods.isEmpty()) {
                return pods;
            }
        }
        return List.of();
    }

    /** Leaders belong to a StatefulSet, workers to another one each: the labels say whose all of them are. */
    private List<JsonNode> ofGroups(Found workload) throws ClusterProblemException, ForbiddenException {
        String labels = GROUP_NAME + "=" + workload.name();
        String revision = newestRevision(workload, labels, GROUP_REVISION);
        return list(Resource.PODS, workload.object(), labels).stream()
                .filter(CurrentPods::isStaying)
                .filter(pod -> revision.isEmpty() || label(pod, GROUP_REVISION).equals(revision))
                .toList();
    }

    /** What the label says on the newest ControllerRevision of the workload; empty if there is none. */
    private String newestRevision(Found workload, String labels, String label)
            throws ClusterProblemException, ForbiddenException {
        return list(Resource.REVISIONS, workload.object(), labels).stream()
                .filter(revision -> isOwned(revision, Set.of(uid(workload.object()))))
                .max(Comparator.comparingLong(
                        (JsonNode revision) -> revision.path("revision").asLong(0)))
                .map(revision -> label(revision, label))
                .orElse("");
    }

    private List<JsonNode> pods(JsonNode owner, String selector, Set<String> owners)
            throws ClusterProblemException, ForbiddenException {
        return list(Resource.PODS, owner, selector).stream()
                .filter(pod -> isOwned(pod, owners) && isStaying(pod))
                .toList();
    }

    private List<JsonNode> list(Resource resource, JsonNode near, String labels)
            throws ClusterProblemException, ForbiddenException {
        return reader.list(
                resource, Optional.of(Trees.text(near.path("metadata"), "namespace")), labels, object -> true);
    }

    private static boolean isStaying(JsonNode pod) {
        return Trees.text(pod.path("metadata"), "deletionTimestamp").isEmpty();
    }

    /** The controller has seen the template as it is now. */
    private static boolean isObserved(JsonNode object) {
        return object.path("status").path("observedGeneration").asLong(0)
                >= object.path("metadata").path("generation").asLong(0);
    }

    private static boolean isOwned(JsonNode object, Set<String> owners) {
        return object.path("metadata")
                .path("ownerReferences")
                .valueStream()
                .anyMatch(owner ->
                        owner.path("controller").asBoolean(false) && owners.contains(Trees.text(owner, "uid")));
    }

    private static boolean isSame(JsonNode one, JsonNode other) {
        return one.path("spec").equals(other.path("spec"))
                && metadata(one, "annotations").equals(metadata(other, "annotations"))
                && metadata(one, "labels").equals(metadata(other, "labels"));
    }

    private static Map<String, String> metadata(JsonNode template, String field) {
        Map<String, String> result = Trees.textMap(template.path("metadata").path(field));
        result.keySet().removeAll(MADE_LABELS);
        return result;
    }

    private static String uid(JsonNode object) {
        return Trees.text(object.path("metadata"), "uid");
    }

    private static String created(JsonNode object) {
        return Trees.text(object.path("metadata"), "creationTimestamp");
    }

    private static String label(JsonNode object, String key) {
        return Trees.text(object.path("metadata").path("labels"), key);
    }

    /** {@code spec.selector} as a URL's label selector. */
    static String selector(JsonNode object) {
        JsonNode selector = object.path("spec").path("selector");
        List<String> terms = new ArrayList<>();
        Trees.textMap(selector.path("matchLabels")).forEach((key, value) -> terms.add(key + "=" + value));
        selector.path("matchExpressions").forEach(expression -> {
            String key = Trees.text(expression, "key");
            String values = " (" + String.join(",", Trees.texts(expression.path("values"))) + ")";
            switch (Trees.text(expression, "operator")) {
                case "In" -> terms.add(key + " in" + values);
                case "NotIn" -> terms.add(key + " notin" + values);
                case "Exists" -> terms.add(key);
                case "DoesNotExist" -> terms.add("!" + key);
                // A new operator only widens the list: whose a pod is, its owner says.
                default -> {}
            }
        });
        return String.join(",", terms);
    }
}
