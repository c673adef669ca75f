package dev.plainsail.e2e.demo;

import dev.plainsail.e2e.cache.Cache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The demo that keeps its cluster, found again by a file with its process's number and start time. */
record KeptCluster(Path file) {
    private static final Duration LONGEST_STOP = Duration.ofSeconds(60);

    KeptCluster(Cache cache) {
        this(cache.folder().resolve("demo.pid"));
    }

    void register() throws IOException {
        Files.writeString(file, describe(ProcessHandle.current()));
    }

    void forget() throws IOException {
        Files.deleteIfExists(file);
    }

    /** Ends it as Ctrl-C would, and waits. A process that only has the same number is left alone. @return whether one ran */
    boolean stop() throws IOException, InterruptedException {
        if (!Files.exists(file)) {
            return false;
        }
        String wanted = Files.readString(file).strip();
        Optional<ProcessHandle> running = ProcessHandle.of(Long.parseLong(wanted.split(" ", -1)[0]))
                .filter(process -> describe(process).equals(wanted));
        if (running.isPresent()) {
            running.get().destroy();
            try {
                running.get().onExit().get(LONGEST_STOP.toSeconds(), TimeUnit.SECONDS);
            } catch (TimeoutException | java.util.concurrent.ExecutionException e) {
                running.get().destroyForcibly();
            }
        }
        forget();
        return running.isPresent();
    }

    private static String describe(ProcessHandle process) {
        return process.pid() + " "
                + process.info().startInstant().map(Object::toString).orElse("");
    }
}
