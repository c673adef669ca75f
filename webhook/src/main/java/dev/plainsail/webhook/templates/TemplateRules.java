package dev.plainsail.webhook.templates;

import dev.plainsail.dra.ClaimProblem;
import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.ParsedClaim;
import dev.plainsail.webhook.cluster.ClaimPod;
import dev.plainsail.webhook.cluster.TemplateKey;
import dev.plainsail.webhook.cluster.TemplateView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What to do about one template, from the pods that carry its name and the template as it exists.
 * A pod proves its claim by the hash: only a claim whose name is the label's is ever made, so nobody can have a template of
 * ours made with other content than its name says. Pure; the same input gives the same actions, and once they are done, none.
 */
final class TemplateRules {
    /**
     * How long a new template is left to the cluster's own claim controller before waiting pods are touched: from Kubernetes
     * 1.36 on it makes the claim within a tenth of a second, and the touch is spared.
     */
    static final Duration GRACE = Duration.ofSeconds(1);

    private final Duration unusedLife;

    TemplateRules(Duration unusedLife) {
        this.unusedLife = unusedLife;
    }

    List<Action> decide(TemplateKey key, List<ClaimPod> pods, Optional<TemplateView> template, Instant now) {
        List<ClaimPod> users = pods.stream().filter(pod -> !pod.finished()).toList();
        if (users.isEmpty()) {
            return template.filter(existing -> existing.ours() && existing.right())
                    .map(unused -> ofUnused(unused, now))
                    .orElse(List.of());
        }
        return template.map(existing -> ofUsed(existing, users, now)).orElseGet(() -> ofMissing(key, users));
    }

    private List<Action> ofUnused(TemplateView template, Instant now) {
        Optional<Instant> since = template.unusedSince().filter(at -> !at.isAfter(now));
        if (since.isEmpty()) {
            return List.of(new Action.Mark(Optional.of(now)));
        }
        Instant end = since.get().plus(unusedLife);
        return List.of(end.isAfter(now) ? new Action.LookAgain(end) : new Action.Delete(template));
    }

    private static List<Action> ofUsed(TemplateView template, List<ClaimPod> users, Instant now) {
        if (!template.right()) {
            String note = "ResourceClaimTemplate " + template.key().name() + " exists with other content than Plainsail"
                    + " gives that name; it is left alone. Delete it, and Plainsail makes its own.";
            return users.stream()
                    .filter(pod -> !pod.claimed())
                    .<Action>map(pod -> new Action.Warn(pod, Action.Warning.CLAIM_TEMPLATE_FOREIGN, note))
                    .toList();
        }
        List<Action> actions = new ArrayList<>();
        if (template.ours() && template.unusedSince().isPresent()) {
            actions.add(new Action.Mark(Optional.empty()));
        }
        List<ClaimPod> waiting = users.stream()
                .filter(pod -> !pod.claimed() && !pod.told() && !pod.created().isAfter(template.created()))
                .toList();
        Instant touch = template.created().plus(GRACE);
        if (!waiting.isEmpty() && touch.isAfter(now)) {
            actions.add(new Action.LookAgain(touch));
        } else {
            waiting.forEach(pod -> actions.add(new Action.Tell(pod)));
        }
        return actions;
    }

    private static List<Action> ofMissing(TemplateKey key, List<ClaimPod> users) {
        List<Action> actions = new ArrayList<>();
        Optional<Action> create = Optional.empty();
        for (ClaimPod pod : users) {
            switch (claim(key, pod)) {
                case Claim.Proven(DeviceClaim claim) ->
                    create = create.or(() -> Optional.of(new Action.Create(claim, pod)));
                case Claim.Unproven(String note) ->
                    actions.add(new Action.Warn(pod, Action.Warning.CLAIM_SPEC_REFUSED, note));
            }
        }
        create.ifPresent(action -> actions.add(0, action));
        return actions;
    }

    private sealed interface Claim {
        record Proven(DeviceClaim claim) implements Claim {}

        record Unproven(String note) implements Claim {}
    }

    private static Claim claim(TemplateKey key, ClaimPod pod) {
        if (pod.claimSpec().isEmpty()) {
            return new Claim.Unproven("the pod has the label plainsail.dev/claim-template but not the annotation"
                    + " plainsail.dev/claim-spec; both are written by Plainsail's webhook, remove the label");
        }
        return switch (DeviceClaimText.parseCanonical(pod.claimSpec().get())) {
            case ParsedClaim.Refused(List<ClaimProblem> problems) ->
                new Claim.Unproven("plainsail.dev/claim-spec cannot be read: "
                        + problems.stream()
                                .map(problem -> problem.path() + " " + problem.detail())
                                .collect(Collectors.joining("; ")));
            case ParsedClaim.Accepted accepted
            when accepted.claim().templateName().equals(key.name()) -> new Claim.Proven(accepted.claim());
            case ParsedClaim.Accepted accepted ->
                new Claim.Unproven("plainsail.dev/claim-spec is the claim of "
                        + accepted.claim().templateName() + ", the label plainsail.dev/claim-template says "
                        + key.name()
                        + "; both are written by Plainsail's webhook, do not edit them");
        };
    }
}
