package dev.plainsail.e2e.node;

import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Preconditions;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What one pod's thread asks of the API server. Every write names the pod's uid: a namesake that came later is not touched. */
final class PodApi {

    private static final PatchContext STRATEGIC = PatchContext.of(PatchType.STRATEGIC_MERGE);

    private final KubernetesClient client;
    private final Set<String> told = new HashSet<>();
    private String sent = "";

    PodApi(KubernetesClient client) {
        this.client = client;
    }

    Optional<ResourceClaim> claim(String namespace, String name) {
        return Optional.ofNullable(client.resources(ResourceClaim.class)
                .inNamespace(namespace)
                .withName(name)
                .get());
    }

    /** Sends the status if it changed since the last time. Answers false when there is no such pod any more. */
    boolean report(Pod pod, PodStatus status) {
        ObjectMeta meta = pod.getMetadata();
        String json = client.getKubernetesSerialization()
                .asJson(Map.of("metadata", Map.of("uid", meta.getUid()), "status", status));
        if (json.equals(sent)) {
            return true;
        }
        try {
            client.pods()
                    .inNamespace(meta.getNamespace())
                    .withName(meta.getName())
                    .subresource("status")
                    .patch(STRATEGIC, json);
            sent = json;
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == 404 || e.getCode() == 409) {
                return false;
            }
            throw e;
        }
    }

    /** Removes the object, as the kubelet does when the last process has ended. */
    void delete(Pod pod) {
        ObjectMeta meta = pod.getMetadata();
        DeleteOptions options = new DeleteOptions();
        options.setGracePeriodSeconds(0L);
        options.setPreconditions(new Preconditions(null, meta.getUid()));
        String path = "/api/v1/namespaces/" + meta.getNamespace() + "/pods/" + meta.getName();
        try {
            client.raw(path, "DELETE", options);
        } catch (KubernetesClientException e) {
            if (e.getCode() != 404 && e.getCode() != 409) {
                throw e;
            }
        }
    }

    /** A warning event, once for each text. */
    void warn(Pod pod, String reason, String message) {
        if (!told.add(reason + message)) {
            return;
        }
        ObjectMeta meta = pod.getMetadata();
        String now = PodStatuses.text(Instant.now());
        client.v1()
                .events()
                .inNamespace(meta.getNamespace())
                .resource(new EventBuilder()
                        .withNewMetadata()
                        .withGenerateName(meta.getName() + ".")
                        .withNamespace(meta.getNamespace())
                        .endMetadata()
                        .withNewInvolvedObject()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withName(meta.getName())
                        .withNamespace(meta.getNamespace())
                        .withUid(meta.getUid())
                        .endInvolvedObject()
                        .withType("Warning")
                        .withReason(reason)
                        .withMessage(message.length() > 1000 ? message.substring(0, 1000) : message)
                        .withNewSource("plainsail-node", pod.getSpec().getNodeName())
                        .withFirstTimestamp(now)
                        .withLastTimestamp(now)
                        .withCount(1)
                        .build())
                .create();
    }
}
