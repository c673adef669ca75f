package dev.plainsail.e2e.engine;

import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Drives one core: a step begins under the lock, its duration passes outside it, it ends under the lock. Steps follow one another
 * without drift: a step that was woken late makes the next one shorter, not the engine slower.
 */
final class EngineLoop {
    private final EngineCore core;
    private final EngineClock clock;
    private final Lock lock;
    private final Condition work;
    private final Thread thread;

    /** @param lock guards the core; also held by whoever reads its statistics */
    EngineLoop(EngineCore core, EngineClock clock, Lock lock) {
        this.core = core;
        this.clock = clock;
        this.lock = lock;
        this.work = lock.newCondition();
        this.thread = Thread.ofVirtual().name("engine").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    void stop() {
        thread.interrupt();
    }

    void add(Sequence sequence) {
        lock.lock();
        try {
            core.add(sequence);
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    void abort(Sequence sequence) {
        lock.lock();
        try {
            core.abort(sequence, clock.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Sequences here, running or waiting. */
    int load() {
        lock.lock();
        try {
            return core.running() + core.waiting();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            long late = 0;
            while (true) {
                Optional<EngineCore.Step> planned = tryNext();
                if (planned.isEmpty()) {
                    late = 0;
                    planned = Optional.of(awaitNext());
                }
                EngineCore.Step step = planned.get();
                long due = clock.nanoTime() + step.durationNanos() - Math.min(late, step.durationNanos());
                clock.sleepUntil(due);
                late = clock.nanoTime() - due;
                finish(step);
            }
        } catch (InterruptedException e) {
            // Stopped: whatever was running stays unanswered, as when an engine is killed.
            Thread.currentThread().interrupt();
        }
    }

    private Optional<EngineCore.Step> tryNext() {
        lock.lock();
        try {
            return core.begin(clock.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    private EngineCore.Step awaitNext() throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                Optional<EngineCore.Step> step = core.begin(clock.nanoTime());
                if (step.isPresent()) {
                    return step.get();
                }
                work.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void finish(EngineCore.Step step) {
        lock.lock();
        try {
            core.end(step, clock.nanoTime());
        } finally {
            lock.unlock();
        }
    }
}
