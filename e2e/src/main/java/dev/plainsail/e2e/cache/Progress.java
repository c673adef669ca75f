package dev.plainsail.e2e.cache;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Tells a person what takes so long. */
public interface Progress {

    /** Begins a step; called by the thread that does the work, which closes it. */
    Step begin(String what);

    /** One piece of work under way. Any thread may call {@code note}. */
    interface Step extends AutoCloseable {
        /** What is happening now, in a few words; calling it often is fine. */
        void note(String detail);

        /** The step succeeded; without this call, {@code close} reports a failure. */
        void done();

        @Override
        void close();
    }

    /** To standard error: one line that renews itself on a terminal, plain lines now and then elsewhere. */
    static Progress console() {
        boolean terminal = Optional.ofNullable(System.console())
                .filter(Console::isTerminal)
                .isPresent();
        return to(System.err, terminal, System::nanoTime);
    }

    static Progress to(PrintStream out, boolean terminal, LongSupplier nanoTime) {
        return what -> new ConsoleStep(out, terminal, nanoTime, what);
    }

    /** Says nothing. */
    static Progress silent() {
        return what -> new Step() {
            @Override
            public void note(String detail) {}

            @Override
            public void done() {}

            @Override
            public void close() {}
        };
    }

    /** {@code 8.4 s}, {@code 1 min 30 s}, {@code 1 h 4 min}. */
    static String elapsed(Duration time) {
        if (time.toMinutes() < 1) {
            return String.format("%.1f s", time.toMillis() / 1000.0);
        }
        if (time.toHours() < 1) {
            return time.toMinutes() + " min " + time.toSecondsPart() + " s";
        }
        return time.toHours() + " h " + time.toMinutesPart() + " min";
    }
}
