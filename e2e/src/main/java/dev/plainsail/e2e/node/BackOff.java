package dev.plainsail.e2e.node;

import java.time.Duration;

/**
 * How long to wait before a container starts again: at once after the first end, then a growing time, as the kubelet
 * does; only shorter, so that one need not wait at a desk.
 */
record BackOff(Duration first, Duration most) {

    static final BackOff DEFAULT = new BackOff(Duration.ofSeconds(1), Duration.ofSeconds(30));

    /** @param restarts how often it has been started again so far */
    Duration after(int restarts) {
        if (restarts == 0) {
            return Duration.ZERO;
        }
        Duration wait = first.multipliedBy(1L << Math.min(restarts - 1, 20));
        return wait.compareTo(most) > 0 ? most : wait;
    }
}
