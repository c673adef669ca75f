package dev.plainsail.e2e.cache;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.LongSupplier;

/** One step on a console. A daemon thread renews the line each second, or says every half minute that work goes on. */
final class ConsoleStep implements Progress.Step {

    private static final Duration QUIET = Duration.ofSeconds(30);

    private final PrintStream out;
    private final boolean terminal;
    private final LongSupplier nanoTime;
    private final String what;
    private final long beganAtNanos;
    private final Thread ticker;

    private String detail = "";

    private boolean done;

    private long saidAtNanos;

    ConsoleStep(PrintStream out, boolean terminal, LongSupplier nanoTime, String what) {
        this.out = out;
        this.terminal = terminal;
        this.nanoTime = nanoTime;
        this.what = what;
        this.beganAtNanos = nanoTime.getAsLong();
        this.saidAtNanos = beganAtNanos;
        if (!terminal) {
            out.println(what + " ...");
        }
        this.ticker = Thread.ofPlatform().daemon().name("progress").start(this::tick);
    }

    @Override
    public synchronized void note(String newDetail) {
        detail = newDetail;
        say();
    }

    @Override
    public synchronized void done() {
        done = true;
    }

    @Override
    public void close() {
        ticker.interrupt();
        synchronized (this) {
            String end = what + ": " + (done ? "done" : "failed") + " after " + elapsed();
            out.println(terminal ? "\r\033[K" + end : end);
            out.flush();
        }
    }

    private void tick() {
        try {
            while (true) {
                Thread.sleep(1000);
                synchronized (this) {
                    say();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private synchronized void say() {
        long now = nanoTime.getAsLong();
        String line = what + " ... " + elapsed() + (detail.isEmpty() ? "" : ", " + detail);
        if (terminal) {
            out.print("\r\033[K" + line);
            out.flush();
        } else if (now - saidAtNanos >= QUIET.toNanos()) {
            saidAtNanos = now;
            out.println(line);
        }
    }

    private String elapsed() {
        return Progress.elapsed(Duration.ofNanos(nanoTime.getAsLong() - beganAtNanos));
    }
}
