package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.api.model.events.v1.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a pod is told: a condition in its status, or an Event that its owner reads. */
public final class PodSignals {
    private static final Logger LOG = LoggerFactory.getLogger(PodSignals.class);
    private static final DateTimeFormatter MICROSECONDS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    private static final int NOTE_LIMIT = 1024;
    private static final JsonMapper JSON = new JsonMapper();

    private final KubernetesClient client;
    private final String instance;

    /** @param instance which replica speaks */
    public PodSignals(Cluster cluster, String instance) {
        client = cluster.client();
        this.instance = instance;
    }

    /**
     * Writes to the pod's status that its template is there. The write is the point as much as the text: it makes the claim
     * controller of Kubernetes before 1.36 look at the pod again at once instead of after its back-off.
     */
    public void templateIsThere(ClaimPod pod, Instant now) {
        ObjectNode patch = JSON.createObjectNode();
        patch.putObject("metadata").put("uid", pod.uid());
        patch.putObject("status")
                .putArray("conditions")
                .addObject()
                .put("type", ClaimPod.CONDITION)
                .put("status", "True")
                .put("reason", "TemplateCreated")
                .put("message", "ResourceClaimTemplate " + pod.template().name() + " exists")
                .put(
                        "lastTransitionTime",
                        now.truncatedTo(java.time.temporal.ChronoUnit.SECONDS).toString());
        try {
            client.pods()
                    .inNamespace(pod.template().namespace())
                    .withName(pod.name())
                    .subresource("status")
                    .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), JSON.writeValueAsString(patch));
        } catch (KubernetesClientException e) {
            boolean gone =
                    e.getCode() == HttpURLConnection.HTTP_NOT_FOUND || e.getCode() == HttpURLConnection.HTTP_CONFLICT;
            if (!gone) {
                throw Refused.of(e);
            }
        }
    }

    /**
     * A warning on the pod and on the controller that made it. The same words about the same object are said once for as long
     * as the cluster keeps Events: the Event's name is made from them. Never fails: what could not be said is logged.
     */
    public void warn(ClaimPod pod, String reason, String note, Instant now) {
        send(event(pod, "v1", "Pod", pod.name(), pod.uid(), reason, note, now));
        pod.owner()
                .ifPresent(owner -> send(
                        event(pod, owner.apiVersion(), owner.kind(), owner.name(), owner.uid(), reason, note, now)));
    }

    private void send(Event event) {
        try {
            client.resource(event).create();
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                LOG.atWarn()
                        .setMessage("an event could not be written")
                        .addKeyValue("note", event.getNote())
                        .addKeyValue("reason", Cluster.said(e))
                        .log();
            }
        }
    }

    private Event event(
            ClaimPod pod,
            String apiVersion,
            String kind,
            String name,
            String uid,
            String reason,
            String note,
            Instant now) {
        CRC32 words = new CRC32();
        words.update((uid + reason + note).getBytes(StandardCharsets.UTF_8));
        String cut = note.length() > NOTE_LIMIT ? note.substring(0, NOTE_LIMIT - 3) + "..." : note;
        String stem = name.substring(0, Math.min(name.length(), 200));
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(pod.template().namespace())
                .withName("%s.%08x".formatted(stem, words.getValue()))
                .endMetadata()
                .withEventTime(new MicroTime(MICROSECONDS.format(now)))
                .withReportingController("plainsail.dev/webhook")
                .withReportingInstance(instance)
                .withAction("MakeClaimTemplate")
                .withType("Warning")
                .withReason(reason)
                .withNote(cut)
                .withRegarding(new ObjectReferenceBuilder()
                        .withApiVersion(apiVersion)
                        .withKind(kind)
                        .withNamespace(pod.template().namespace())
                        .withName(name)
                        .withUid(uid)
                        .build())
                .build();
    }
}
