package dev.plainsail.webhook.planner;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.ParsedClaim;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Intent.ClaimSource;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.PodView;
import dev.plainsail.webhook.workload.Trees;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The pod's claim entry {@code plainsail}: whether it is there, whether it is ours, and how to make it. */
final class ClaimEntry {

    private final Subject subject;
    private final Problems problems;

    ClaimEntry(Subject subject, Problems problems) {
        this.subject = subject;
        this.problems = problems;
    }

    void inject(DeviceClaim claim, Written written, List<ContainerView> users, List<Change> changes) {
        String name = claim.templateName();
        changes.add(use(new ClaimSource.Template(name), written, users));
        changes.add(new Change.SetLabel(Annotations.CLAIM_TEMPLATE_LABEL, name));
        changes.add(new Change.SetAnnotation(Annotations.CLAIM_SPEC, claim.canonical()));
        refuseOther(
                "metadata.labels[" + Annotations.CLAIM_TEMPLATE_LABEL + "]",
                subject.pod().labels().get(Annotations.CLAIM_TEMPLATE_LABEL),
                name);
        refuseOther(
                "metadata.annotations[" + Annotations.CLAIM_SPEC + "]",
                subject.pod().annotations().get(Annotations.CLAIM_SPEC),
                claim.canonical());
    }

    private void refuseOther(String path, @org.jspecify.annotations.Nullable String there, String ours) {
        if (there != null && !there.equals(ours)) {
            problems.refuseField(
                    Reason.WRITTEN_BY_PLAINSAIL,
                    path,
                    there,
                    "is written by Plainsail and belongs to another claim; remove it");
        }
    }

    Change use(ClaimSource source, Written written, List<ContainerView> users) {
        find(subject.pod())
                .filter(entry -> !source.equals(sourceOf(entry)))
                .ifPresent(entry -> problems.refuseField(
                        Reason.ENTRY_TAKEN,
                        "spec.resourceClaims[" + Annotations.CLAIM_ENTRY + "]",
                        "",
                        "is the name of the entry that " + written.path()
                                + " makes; give your own entry another name"));
        return new Change.UseClaim(
                source, users.stream().map(ContainerView::place).toList());
    }

    private static Optional<JsonNode> find(PodView pod) {
        return pod.spec()
                .path("resourceClaims")
                .valueStream()
                .filter(entry -> Trees.text(entry, "name").equals(Annotations.CLAIM_ENTRY))
                .findFirst();
    }

    private static ClaimSource sourceOf(JsonNode entry) {
        String template = Trees.text(entry, "resourceClaimTemplateName");
        return template.isEmpty()
                ? new ClaimSource.Named(Trees.text(entry, "resourceClaimName"))
                : new ClaimSource.Template(template);
    }

    /** The pod went through us before: its entry, label and claim text agree. */
    static boolean isOurs(PodView pod) {
        String label = pod.labels().get(Annotations.CLAIM_TEMPLATE_LABEL);
        String text = pod.annotations().get(Annotations.CLAIM_SPEC);
        return label != null
                && text != null
                && find(pod)
                        .map(ClaimEntry::sourceOf)
                        .filter(new ClaimSource.Template(label)::equals)
                        .isPresent()
                && DeviceClaimText.parseCanonical(text)
                        instanceof ParsedClaim.Accepted(DeviceClaim claim, boolean ignored)
                && claim.templateName().equals(label);
    }

    /** Entry and containers are there as the change wants them. */
    static boolean isComplete(PodView pod, Change.UseClaim use) {
        return find(pod).isPresent()
                && use.containers().stream()
                        .allMatch(place -> pod.everyContainer().stream()
                                .filter(container -> container.place().equals(place))
                                .allMatch(container -> container.usesClaim(Annotations.CLAIM_ENTRY)));
    }
}
