package dev.plainsail.e2e.engine;

import java.util.concurrent.locks.LockSupport;

/** An engine's sense of time. */
interface EngineClock {
    /** As {@link System#nanoTime}. */
    long nanoTime();

    /** Seconds since 1970. */
    double epochSeconds();

    void sleepUntil(long nanos) throws InterruptedException;

    EngineClock SYSTEM = new EngineClock() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public double epochSeconds() {
            return System.currentTimeMillis() / 1000.0;
        }

        @Override
        public void sleepUntil(long nanos) throws InterruptedException {
            for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
                LockSupport.parkNanos(left);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
    };
}
