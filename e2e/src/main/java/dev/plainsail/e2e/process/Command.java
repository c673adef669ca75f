package dev.plainsail.e2e.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/** A program that is run to its end, its output kept in a log file. */
public final class Command {

    private Command() {}

    /** Ran, but did not succeed. The message holds the exit code and the log's tail. */
    public static final class Failed extends IOException {
        private final int exitCode;

        Failed(String name, int exitCode, Path log) {
            super(name + " ended with exit code " + exitCode + ", log " + log + ":\n" + LogTail.of(log, 15));
            this.exitCode = exitCode;
        }

        public int exitCode() {
            return exitCode;
        }
    }

    /** Runs the program to its end. An interrupt of the calling thread ends the program. */
    public static void run(ChildProcess.Spec spec) throws IOException, InterruptedException {
        ChildProcess child = ChildProcess.start(spec);
        try {
            int code = child.exit().get();
            if (code != 0) {
                throw new Failed(spec.name(), code, spec.log());
            }
        } catch (ExecutionException e) {
            throw new IOException(spec.name() + " was lost", e);
        } finally {
            if (child.isAlive()) {
                child.kill();
            }
        }
    }

    /** The program's file on the given environment's PATH. */
    public static Optional<Path> find(String program, Map<String, String> environment) {
        return List.of(environment.getOrDefault("PATH", "").split(":")).stream()
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> Path.of(folder, program))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }
}
