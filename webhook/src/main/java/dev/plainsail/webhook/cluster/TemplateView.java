package dev.plainsail.webhook.cluster;

import dev.plainsail.dra.ClaimTemplate;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.ParsedClaim;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * A template as it exists.
 *
 * @param ours it carries our managed-by label
 * @param right its content is the one that its name stands for
 * @param unusedSince when we first saw that no pod used it, kept on the object so that restarts do not forget
 */
public record TemplateView(
        TemplateKey key,
        String uid,
        String resourceVersion,
        Instant created,
        boolean ours,
        boolean right,
        Optional<Instant> unusedSince) {

    static final String UNUSED_SINCE = "plainsail.dev/unused-since";
    private static final JsonMapper JSON = new JsonMapper();

    static TemplateView of(GenericKubernetesResource template) {
        ObjectMeta metadata = template.getMetadata();
        TemplateKey key = new TemplateKey(metadata.getNamespace(), metadata.getName());
        Map<String, String> labels = metadata.getLabels() == null ? Map.of() : metadata.getLabels();
        return new TemplateView(
                key,
                metadata.getUid(),
                metadata.getResourceVersion(),
                Instant.parse(metadata.getCreationTimestamp()),
                ClaimTemplate.MANAGED_BY.equals(labels.get(ClaimTemplate.MANAGED_BY_LABEL)),
                isRight(template, key.name()),
                unusedSince(metadata));
    }

    private static boolean isRight(GenericKubernetesResource template, String name) {
        Object devices = template.get("spec", "spec", "devices");
        if (devices == null) {
            return false;
        }
        return DeviceClaimText.parse(JSON.writeValueAsString(devices)) instanceof ParsedClaim.Accepted accepted
                && accepted.claim().templateName().equals(name);
    }

    /** A text that is no time counts as not there, and is written anew. */
    private static Optional<Instant> unusedSince(ObjectMeta metadata) {
        try {
            return Optional.ofNullable(metadata.getAnnotations())
                    .map(annotations -> annotations.get(UNUSED_SINCE))
                    .map(Instant::parse);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
