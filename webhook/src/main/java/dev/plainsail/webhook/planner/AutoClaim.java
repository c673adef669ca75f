package dev.plainsail.webhook.planner;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.ParsedClaim;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.ExtendedResource;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.Devices;
import dev.plainsail.webhook.plan.Subject;
import java.util.List;
import java.util.Optional;

/** The class of the claim that {@code devices} comes to, for those who need only that. */
final class AutoClaim {

    private AutoClaim() {}

    /** The class of the claim that is made, or was made on an earlier pass; empty if none is. */
    static Optional<String> classOf(Subject subject) {
        Optional<Devices> asked = subject.intent().devices().map(Asked::value);
        if (asked.isPresent() && asked.get() instanceof Devices.These these) {
            return Optional.of(these.claim().mainClass());
        }
        if (ClaimEntry.isOurs(subject.pod())) {
            String text = subject.pod().annotations().getOrDefault(Annotations.CLAIM_SPEC, "");
            return DeviceClaimText.parseCanonical(text)
                            instanceof ParsedClaim.Accepted(DeviceClaim claim, boolean ignored)
                    ? Optional.of(claim.mainClass())
                    : Optional.empty();
        }
        List<MappedLimit> limits = MappedLimit.of(subject.pod(), subject.settings());
        if (limits.size() == 1 && limits.getFirst().mapping().mode() == ExtendedResource.Mode.CONVERT) {
            return Optional.of(limits.getFirst().mapping().deviceClass());
        }
        boolean isCounted = Spread.of(subject).filter(Spread::isKnown).isPresent();
        return limits.isEmpty() && isCounted ? subject.settings().defaultClass() : Optional.empty();
    }
}
