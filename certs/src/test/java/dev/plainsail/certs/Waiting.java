package dev.plainsail.certs;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** For the tests of every module: Awaitility with patience for a slow, busy machine: what comes at all comes within it, and who comes soon is not kept waiting. */
public final class Waiting {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Waiting() {}

    public static ConditionFactory await() {
        return Awaitility.await().atMost(PATIENCE);
    }

    /** @param what is awaited, for the message */
    public static ConditionFactory await(String what) {
        return Awaitility.await(what).atMost(PATIENCE);
    }
}
