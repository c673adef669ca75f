package dev.plainsail.webhook.templates;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.webhook.cluster.ClaimPod;
import dev.plainsail.webhook.cluster.TemplateView;
import java.time.Instant;
import java.util.Optional;

/** One thing to do about a template or to tell a pod. */
sealed interface Action {
    record Create(DeviceClaim claim, ClaimPod askedBy) implements Action {}

    record Tell(ClaimPod pod) implements Action {}

    record Warn(ClaimPod pod, Warning warning, String note) implements Action {}

    record Mark(Optional<Instant> unusedSince) implements Action {}

    record Delete(TemplateView template) implements Action {}

    /** Nothing now; look again at this time. */
    record LookAgain(Instant at) implements Action {}

    /** Reasons of the Events that we write. */
    enum Warning {
        CLAIM_SPEC_REFUSED("ClaimSpecRefused"),
        CLAIM_TEMPLATE_FOREIGN("ClaimTemplateForeign"),
        CLAIM_TEMPLATE_REFUSED("ClaimTemplateRefused");

        private final String reason;

        Warning(String reason) {
            this.reason = reason;
        }

        String reason() {
            return reason;
        }
    }
}
