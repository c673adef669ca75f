package dev.plainsail.webhook.cluster;

import dev.plainsail.webhook.cluster.LiveReader.ForbiddenException;
import dev.plainsail.webhook.cluster.LiveReader.Resource;
import dev.plainsail.webhook.workload.Trees;
import dev.plainsail.webhook.workload.WorkloadKind;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import tools.jackson.databind.JsonNode;

/**
 * The workloads of a cluster and the pods that were made from their templates as they are now. Reads only; the rights of the
 * ClusterRole {@code view} are enough, and for LeaderWorkerSets the right to list them. One thread.
 */
public final class LiveWorkloads implements AutoCloseable {

    private static final String GROUPS = "/apis/" + WorkloadKind.LEADER_WORKER_SET.group();

    private final KubernetesClient client;
    private final LiveReader reader;
    private final CurrentPods pods;

    /** One workload, as the API's own JSON. */
    public record Found(WorkloadKind kind, JsonNode object) {
        public String namespace() {
            return Trees.text(object.path("metadata"), "namespace");
        }

        public String name() {
            return Trees.text(object.path("metadata"), "name");
        }
    }

    private LiveWorkloads(KubernetesClient client, int pageSize) {
        this.client = client;
        this.reader = new LiveReader(client, pageSize);
        this.pods = new CurrentPods(reader);
    }

    /** @param pageSize how many objects one answer of the API server may have */
    public static LiveWorkloads connect(Kubeconfig kubeconfig, int pageSize) throws ClusterProblemException {
        return new LiveWorkloads(
                new KubernetesClientBuilder().withConfig(kubeconfig.read()).build(), pageSize);
    }

    /** The namespace of the context. */
    public String namespace() {
        return Optional.ofNullable(client.getNamespace()).orElse("default");
    }

    /**
     * By kind, namespace and name.
     *
     * @param namespace empty for all of them
     * @throws ClusterProblemException with every right that is missing
     */
    public List<Found> list(Optional<String> namespace, BiPredicate<WorkloadKind, JsonNode> wanted)
            throws ClusterProblemException {
        List<Found> result = new ArrayList<>();
        List<String> forbidden = new ArrayList<>();
        for (WorkloadKind kind : WorkloadKind.values()) {
            Optional<Resource> resource = resource(kind);
            if (resource.isEmpty()) {
                continue;
            }
            try {
                reader.list(resource.get(), namespace, "", object -> wanted.test(kind, object))
                        .forEach(object -> result.add(new Found(kind, object)));
            } catch (ForbiddenException e) {
                forbidden.add(String.valueOf(e.getMessage()));
            }
        }
        if (!forbidden.isEmpty()) {
            throw missing(forbidden);
        }
        return result;
    }

    /** Those that were made from the workload's templates as they are now and are not going; none if they are still to come. */
    public List<JsonNode> currentPods(Found workload) throws ClusterProblemException {
        try {
            return pods.of(workload);
        } catch (ForbiddenException e) {
            throw missing(List.of(String.valueOf(e.getMessage())));
        }
    }

    private static ClusterProblemException missing(List<String> rights) {
        return new ClusterProblemException("this user " + String.join("; ", rights)
                + ": reading needs `list` there, which the ClusterRole view has");
    }

    private Optional<Resource> resource(WorkloadKind kind) throws ClusterProblemException {
        return switch (kind) {
            case POD -> Optional.empty();
            case DEPLOYMENT -> Optional.of(new Resource("apps", "v1", "deployments"));
            case STATEFUL_SET -> Optional.of(new Resource("apps", "v1", "statefulsets"));
            case DAEMON_SET -> Optional.of(new Resource("apps", "v1", "daemonsets"));
            case JOB -> Optional.of(Resource.JOBS);
            case CRON_JOB -> Optional.of(new Resource("batch", "v1", "cronjobs"));
            case LEADER_WORKER_SET ->
                reader.get(GROUPS)
                        .map(group -> new Resource(
                                kind.group(),
                                Trees.text(group.path("preferredVersion"), "version"),
                                "leaderworkersets"));
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
