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
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What a pod is told: a condition in its status, or an Event on it and its workload. One thread. */
public final class PodSignals {
    private static final Logger LOG = LoggerFactory.getLogger(PodSignals.class);
    private static final DateTimeFormatter MICROSECONDS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    private static final int NOTE_LIMIT = 1024;
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    private static final JsonMapper JSON = new JsonMapper();

    private final KubernetesClient client;
    private final String instance;
    private final Owners owners;
    private final EventBudget budget = new EventBudget(System.nanoTime());

    /** @param instance which replica speaks */
    public PodSignals(Cluster cluster, String instance) {
        client = cluster.client();
        owners = new Owners(client);
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
     * A warning on the workload that the pod belongs to, and on the pod. Never fails: what could not be said is logged, unless the namespace ends.
     *
     * @return false if it was put off to spare the cluster, and is to be said later
     */
    public boolean warn(ClaimPod pod, String reason, String note, Instant now) {
        boolean workload = owners.workload(pod)
                .map(owner -> say(pod, owner, reason, note, now))
                .orElse(true);
        return say(pod, new ClaimPod.Owner("v1", "Pod", pod.name(), pod.uid()), reason, note, now) && workload;
    }

    /** The Event's name is made from its words, so that a replica that leads later says nothing twice either. */
    private boolean say(ClaimPod pod, ClaimPod.Owner about, String reason, String note, Instant now) {
        String words = reason + NUMBER.matcher(note).replaceAll("#");
        EventBudget.Answer answer = budget.ask(about.uid(), words, System.nanoTime());
        if (answer == EventBudget.Answer.SAY) {
            CRC32 sum = new CRC32();
            sum.update((about.uid() + words).getBytes(StandardCharsets.UTF_8));
            send(event(pod.template().namespace(), about, "%08x".formatted(sum.getValue()), reason, note, now));
        }
        return answer != EventBudget.Answer.LATER;
    }

    private void send(Event event) {
        try {
            client.resource(event).create();
        } catch (KubernetesClientException e) {
            boolean nobodyToTell = Refused.of(e).kind() == Refused.Kind.NAMESPACE_ENDS;
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT && !nobodyToTell) {
                LOG.atWarn()
                        .setMessage("an event could not be written")
                        .addKeyValue("note", event.getNote())
                        .addKeyValue("reason", Cluster.said(e))
                        .log();
            }
        }
    }

    private Event event(String namespace, ClaimPod.Owner about, String sum, String reason, String note, Instant now) {
        String cut = note.length() > NOTE_LIMIT ? note.substring(0, NOTE_LIMIT - 3) + "..." : note;
        String stem = about.name().substring(0, Math.min(about.name().length(), 200));
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(stem + "." + sum)
                .endMetadata()
                .withEventTime(new MicroTime(MICROSECONDS.format(now)))
                .withReportingController("plainsail.dev/webhook")
                .withReportingInstance(instance)
                .withAction("MakeClaimTemplate")
                .withType("Warning")
                .withReason(reason)
                .withNote(cut)
                .withRegarding(new ObjectReferenceBuilder()
                        .withApiVersion(about.apiVersion())
                        .withKind(about.kind())
                        .withNamespace(namespace)
                        .withName(about.name())
                        .withUid(about.uid())
                        .build())
                .build();
    }
}
