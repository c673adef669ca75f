package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.workload.WorkloadKind;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * What is known of the cluster at this moment, for warnings only: nothing that is injected or refused depends on it.
 * Called on admission threads at workload admission; answers from memory, at once. All objects are the API's own JSON, not to
 * be written to.
 */
public interface ClusterView {

    /** A view of a cluster that nothing is known about. */
    ClusterView UNKNOWN = Optional::empty;

    /** Empty while the caches are not filled, or when there is no cluster (as in {@code plainsail render}). */
    Optional<Snapshot> snapshot();

    /**
     * @param deviceClasses {@code resource.k8s.io/v1} DeviceClass
     * @param slices {@code resource.k8s.io/v1} ResourceSlice
     * @param claims {@code resource.k8s.io/v1} ResourceClaim, for what is allocated already
     * @param quotas {@code v1} ResourceQuota
     */
    record Snapshot(List<JsonNode> deviceClasses, List<JsonNode> slices, List<JsonNode> claims, List<JsonNode> quotas) {
        public Snapshot {
            deviceClasses = List.copyOf(deviceClasses);
            slices = List.copyOf(slices);
            claims = List.copyOf(claims);
            quotas = List.copyOf(quotas);
        }
    }

    /** A workload that is being admitted, for the warnings that look at replicas and rollouts. */
    record Rollout(WorkloadKind kind, String namespace, JsonNode object) {

        /** How many pods it wants at once; a DaemonSet's nodes are not known and count as one. */
        public long pods() {
            JsonNode spec = object.path("spec");
            return switch (kind) {
                case POD, DAEMON_SET -> 1;
                case DEPLOYMENT, STATEFUL_SET -> spec.path("replicas").asLong(1);
                case JOB -> spec.path("parallelism").asLong(1);
                case CRON_JOB ->
                    spec.path("jobTemplate").path("spec").path("parallelism").asLong(1);
                case LEADER_WORKER_SET ->
                    spec.path("replicas").asLong(1)
                            * spec.path("leaderWorkerTemplate").path("size").asLong(1);
            };
        }

        /** A Deployment whose rolling update may not take a pod away before its successor is there. */
        public boolean mustSurge() {
            JsonNode strategy = object.path("spec").path("strategy");
            if (kind != WorkloadKind.DEPLOYMENT
                    || strategy.path("type").asString("RollingUpdate").equals("Recreate")) {
                return false;
            }
            JsonNode unavailable = strategy.path("rollingUpdate").path("maxUnavailable");
            if (unavailable.isIntegralNumber()) {
                return unavailable.longValue() == 0;
            }
            String text = unavailable.asString("25%");
            String digits = text.endsWith("%") ? text.substring(0, text.length() - 1) : "";
            return digits.matches("[0-9]{1,3}") && Long.parseLong(digits) * pods() / 100 == 0;
        }
    }
}
