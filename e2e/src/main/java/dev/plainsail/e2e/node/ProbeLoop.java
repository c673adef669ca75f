package dev.plainsail.e2e.node;

import io.fabric8.kubernetes.api.model.Probe;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs one probe again and again on a virtual thread, with the kubelet's counting: a verdict changes only after so many
 * equal results in a row. Others read the verdict at any time.
 */
final class ProbeLoop {

    enum Verdict {
        UNKNOWN,
        PASSED,
        FAILED
    }

    private final ProbeCheck check;
    private final Probe probe;
    private final Thread thread;
    private volatile Verdict verdict = Verdict.UNKNOWN;
    private volatile String message = "";

    ProbeLoop(String name, Probe probe, ProbeCheck check) {
        this.check = check;
        this.probe = probe;
        this.thread = Thread.ofVirtual().name(name).start(this::loop);
    }

    Verdict verdict() {
        return verdict;
    }

    /** What the last failure said. */
    String message() {
        return message;
    }

    void stop() {
        thread.interrupt();
    }

    private void loop() {
        int inARow = 0;
        boolean last = true;
        try {
            Thread.sleep(seconds(probe.getInitialDelaySeconds(), 0));
            while (true) {
                Optional<String> failure = check.run();
                boolean passed = failure.isEmpty();
                failure.ifPresent(text -> message = text);
                inARow = passed == last ? inARow + 1 : 1;
                last = passed;
                decide(passed, inARow);
                Thread.sleep(seconds(probe.getPeriodSeconds(), 10));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the container ended
        }
    }

    private void decide(boolean passed, int inARow) {
        if (passed && inARow >= orElse(probe.getSuccessThreshold(), 1)) {
            verdict = Verdict.PASSED;
        } else if (!passed && inARow >= orElse(probe.getFailureThreshold(), 3)) {
            verdict = Verdict.FAILED;
        }
    }

    private static Duration seconds(@Nullable Integer value, int otherwise) {
        return Duration.ofSeconds(orElse(value, otherwise));
    }

    private static int orElse(@Nullable Integer value, int otherwise) {
        return value == null ? otherwise : value;
    }
}
