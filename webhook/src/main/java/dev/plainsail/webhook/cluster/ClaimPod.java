package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A pod that carries our template label, as far as the template controller looks at it.
 *
 * @param claimSpec the canonical claim that the webhook wrote, from which the template can be made
 * @param claimed the claim of our entry has been generated
 * @param finished it will not start again, so it needs no template
 * @param told its status says already that the template is there
 */
public record ClaimPod(
        TemplateKey template,
        String name,
        String uid,
        Instant created,
        Optional<String> claimSpec,
        boolean claimed,
        boolean finished,
        boolean told,
        Optional<Owner> owner) {

    /** The controller that made the pod. */
    public record Owner(String apiVersion, String kind, String name, String uid) {}

    /** Condition in a pod's status by which it is told, and touched. */
    static final String CONDITION = "plainsail.dev/ClaimTemplateCreated";

    static final String LABEL = "plainsail.dev/claim-template";
    static final String SPEC_ANNOTATION = "plainsail.dev/claim-spec";
    /** The entry in {@code spec.resourceClaims} that the webhook adds. */
    private static final String ENTRY = "plainsail";

    static ClaimPod of(Pod pod) {
        var metadata = pod.getMetadata();
        var status = Optional.ofNullable(pod.getStatus());
        boolean claimed = status.map(has -> has.getResourceClaimStatuses()).stream()
                .flatMap(list -> list.stream())
                .anyMatch(claim -> ENTRY.equals(claim.getName()) && claim.getResourceClaimName() != null);
        boolean finished = status.map(has -> has.getPhase())
                .filter(phase -> phase.equals("Succeeded") || phase.equals("Failed"))
                .isPresent();
        boolean told = status.map(has -> has.getConditions()).stream()
                .flatMap(list -> list.stream())
                .anyMatch(condition -> CONDITION.equals(condition.getType()));
        return new ClaimPod(
                new TemplateKey(
                        metadata.getNamespace(),
                        text(metadata.getLabels(), LABEL).orElse("")),
                metadata.getName(),
                metadata.getUid(),
                Instant.parse(metadata.getCreationTimestamp()),
                // Thousands of pods carry the same few texts: one copy of each.
                text(metadata.getAnnotations(), SPEC_ANNOTATION).map(String::intern),
                claimed,
                finished || metadata.getDeletionTimestamp() != null,
                told,
                metadata.getOwnerReferences().stream()
                        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                        .findFirst()
                        .map(Owners::of));
    }

    private static Optional<String> text(@org.jspecify.annotations.Nullable Map<String, String> map, String key) {
        return map == null ? Optional.empty() : Optional.ofNullable(map.get(key));
    }
}
