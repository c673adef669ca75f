package dev.plainsail.epp.datalayer;

import java.time.Duration;

/**
 * Whether an endpoint can be trusted with requests, judged by how they end: failures in a row eject it for a time that
 * grows with each ejection; a new or readmitted endpoint starts slowly. Reads take no lock.
 */
public final class Fitness {
    /** Failures in a row that eject. */
    static final int FAILURES = 5;

    static final Duration FIRST_EJECTION = Duration.ofSeconds(10);
    static final Duration LONGEST_EJECTION = Duration.ofMinutes(5);

    /** How long a new endpoint is spared. */
    static final Duration SLOW_START = Duration.ofSeconds(30);

    private static final double SLOWEST = 0.2;

    private volatile int failuresInARow;
    private volatile int ejections;
    private volatile boolean ejected;
    private volatile long ejectedUntilNanos;
    private volatile long freshSinceNanos;

    Fitness(long nowNanos) {
        freshSinceNanos = nowNanos;
    }

    /** A request ended well: it was answered, if only with a refusal that is the client's fault. */
    public void succeeded() {
        if (failuresInARow != 0 || ejections != 0) {
            forgive();
        }
    }

    private synchronized void forgive() {
        failuresInARow = 0;
        ejections = Math.max(0, ejections - 1);
    }

    /** A request ended in a 5xx, a broken connection or none at all. */
    public synchronized void failed(long nowNanos) {
        failuresInARow++;
        if (failuresInARow >= FAILURES && !isEjected(nowNanos)) {
            long nanos = FIRST_EJECTION.toNanos() << Math.min(ejections, 10);
            ejections++;
            ejectedUntilNanos = nowNanos + Math.min(nanos, LONGEST_EJECTION.toNanos());
            freshSinceNanos = ejectedUntilNanos;
            ejected = true;
        }
    }

    /** The engine was restarted: its failures are history, its caches are cold. */
    public synchronized void restarted(long nowNanos) {
        failuresInARow = 0;
        ejected = false;
        freshSinceNanos = nowNanos;
    }

    public boolean isEjected(long nowNanos) {
        return ejected && nowNanos - ejectedUntilNanos < 0;
    }

    /** 1 when it may take its full share; a fraction while it starts. */
    public double share(long nowNanos) {
        double grown = (double) (nowNanos - freshSinceNanos) / SLOW_START.toNanos();
        return grown >= 1 ? 1 : Math.max(SLOWEST, grown);
    }
}
