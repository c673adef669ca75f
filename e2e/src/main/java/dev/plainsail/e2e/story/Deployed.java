package dev.plainsail.e2e.story;

import dev.plainsail.e2e.cluster.LocalCluster;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A user's Deployment, and what became of it. */
public record Deployed(LocalCluster cluster, String namespace, String name) {

    public Deployment object() {
        return cluster.client()
                .apps()
                .deployments()
                .inNamespace(namespace)
                .withName(name)
                .get();
    }

    /** Waits until the rollout is over, old pods included. */
    public void awaitRolledOut() throws IOException, InterruptedException {
        cluster.kubectl().run("rollout", "status", "deployment/" + name, "-n", namespace, "--timeout=600s");
        cluster.client()
                .pods()
                .inNamespace(namespace)
                .withLabels(object().getSpec().getSelector().getMatchLabels())
                .informOnCondition(
                        pods -> pods.stream().noneMatch(pod -> pod.getMetadata().getDeletionTimestamp() != null))
                .orTimeout(120, TimeUnit.SECONDS)
                .join();
    }

    /** Its pods that are not going away, by name. */
    public List<Pod> pods() {
        return cluster
                .client()
                .pods()
                .inNamespace(namespace)
                .withLabels(object().getSpec().getSelector().getMatchLabels())
                .list()
                .getItems()
                .stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()))
                .toList();
    }

    public List<ReplicaSet> replicaSets() {
        return cluster.client()
                .apps()
                .replicaSets()
                .inNamespace(namespace)
                .withLabels(object().getSpec().getSelector().getMatchLabels())
                .list()
                .getItems();
    }

    /** The claims that a pod got, in the order of its entries. */
    public List<ResourceClaim> claims(Pod pod) {
        var statuses = pod.getStatus().getResourceClaimStatuses();
        return statuses == null
                ? List.of()
                : statuses.stream()
                        .map(status -> cluster.client()
                                .resources(ResourceClaim.class)
                                .inNamespace(namespace)
                                .withName(status.getResourceClaimName())
                                .get())
                        .toList();
    }

    /** {@code driver/device} of all that a claim holds. */
    public static List<String> devices(ResourceClaim claim) {
        return claim.getStatus() == null || claim.getStatus().getAllocation() == null
                ? List.of()
                : claim.getStatus().getAllocation().getDevices().getResults().stream()
                        .map(Deployed::device)
                        .toList();
    }

    private static String device(DeviceRequestAllocationResult result) {
        return result.getDriver() + "/" + result.getDevice();
    }

    /** Whether the scheduler has reserved a claim for this pod. */
    public static boolean isReservedFor(ResourceClaim claim, Pod pod) {
        return claim.getStatus() != null
                && claim.getStatus().getReservedFor().stream()
                        .anyMatch(consumer ->
                                consumer.getUid().equals(pod.getMetadata().getUid()));
    }
}
