package dev.plainsail.dra;

import java.util.List;

/** What reading a claim's text gives: the claim, or everything that is wrong with it. */
public sealed interface ParsedClaim {

    /** @param isCountOpen the short text leaves out how many devices its first request wants, so one was assumed */
    record Accepted(DeviceClaim claim, boolean isCountOpen) implements ParsedClaim {}

    record Refused(List<ClaimProblem> problems) implements ParsedClaim {
        public Refused {
            problems = List.copyOf(problems);
            if (problems.isEmpty()) {
                throw new IllegalArgumentException("refused without a reason");
            }
        }
    }
}
