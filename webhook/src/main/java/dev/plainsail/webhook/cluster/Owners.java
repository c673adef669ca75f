package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From what made a pod to the workload that a person wrote: a ReplicaSet's Deployment, a Job's CronJob, a StatefulSet's
 * LeaderWorkerSet. Other kinds are the end of the way, and so is one that cannot be read. Remembered by uid, because an
 * object's controller does not change. Not thread-safe.
 */
final class Owners {
    private static final Logger LOG = LoggerFactory.getLogger(Owners.class);
    /** Kinds that something else usually owns; our role may get these, and no others. */
    private static final Set<String> MIDDLE = Set.of("apps/v1 ReplicaSet", "apps/v1 StatefulSet", "batch/v1 Job");

    private static final int LONGEST_WAY = 4;
    private static final int REMEMBERED = 2000;

    private final KubernetesClient client;
    private final Map<String, ClaimPod.Owner> ownerByUid = new LinkedHashMap<>();

    Owners(KubernetesClient client) {
        this.client = client;
    }

    /** The last that can be found; empty for a pod that nobody made. */
    Optional<ClaimPod.Owner> workload(ClaimPod pod) {
        return pod.owner().map(first -> {
            ClaimPod.Owner last = first;
            for (int step = 0; step < LONGEST_WAY; step++) {
                ClaimPod.Owner next = ownerOf(last, pod.template().namespace());
                if (next.equals(last)) {
                    return last;
                }
                last = next;
            }
            return last;
        });
    }

    /** Itself if nobody owns it. */
    private ClaimPod.Owner ownerOf(ClaimPod.Owner object, String namespace) {
        if (!MIDDLE.contains(object.apiVersion() + " " + object.kind())) {
            return object;
        }
        ClaimPod.Owner known = ownerByUid.get(object.uid());
        if (known != null) {
            return known;
        }
        try {
            GenericKubernetesResource read = client.genericKubernetesResources(object.apiVersion(), object.kind())
                    .inNamespace(namespace)
                    .withName(object.name())
                    .get();
            if (read == null || !object.uid().equals(read.getMetadata().getUid())) {
                return object;
            }
            ClaimPod.Owner owner = read.getMetadata().getOwnerReferences().stream()
                    .filter(reference -> Boolean.TRUE.equals(reference.getController()))
                    .findFirst()
                    .map(Owners::of)
                    .orElse(object);
            ownerByUid.put(object.uid(), owner);
            if (ownerByUid.size() > REMEMBERED) {
                ownerByUid.remove(ownerByUid.keySet().iterator().next());
            }
            return owner;
        } catch (KubernetesClientException e) {
            LOG.atWarn()
                    .setMessage("a pod's workload cannot be read; the event goes to what made the pod")
                    .addKeyValue("kind", object.kind())
                    .addKeyValue("name", namespace + "/" + object.name())
                    .addKeyValue("reason", Cluster.said(e))
                    .log();
            return object;
        }
    }

    static ClaimPod.Owner of(OwnerReference reference) {
        return new ClaimPod.Owner(
                reference.getApiVersion(), reference.getKind(), reference.getName(), reference.getUid());
    }
}
