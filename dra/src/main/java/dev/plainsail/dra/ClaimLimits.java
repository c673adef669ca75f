package dev.plainsail.dra;

import java.util.List;
import java.util.Optional;

/** Bounds that the scheduler, not the API server, enforces. */
final class ClaimLimits {

    private ClaimLimits() {}

    /** More devices than one claim may hold, even if the smallest alternative of each request is taken. */
    static Optional<ClaimProblem> deviceTotal(List<DeviceRequest> requests) {
        long total = 0;
        for (DeviceRequest request : requests) {
            total += request.selections().stream()
                    .mapToLong(selection -> selection.allocation().count().orElse(1))
                    .min()
                    .orElse(0);
        }
        if (total <= DeviceClaim.LIMIT) {
            return Optional.empty();
        }
        return Optional.of(new ClaimProblem(
                "",
                "",
                "asks for " + total + " devices in all; one claim holds at most " + DeviceClaim.LIMIT
                        + ", so ask for fewer or spread the model over several pods"));
    }
}
