package dev.plainsail.e2e.process;

import dev.plainsail.e2e.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A running program that cannot outlive this JVM, however the JVM ends.
 *
 * <p>Before the program takes over its process by {@code exec}, a small shell splits off and reads the pipe that this JVM
 * holds open. The pipe ends when the program ends, or when the JVM does, by {@code kill -9} too; then the shell ends what is
 * left of the program's process group: SIGTERM, {@value #ORPHAN_GRACE_SECONDS} seconds, SIGKILL. The shell is itself a member
 * of the group, so the group's number cannot have been given to someone else meanwhile. The pid is the program's own, and so
 * are its exit code and its signals. Standard input is empty; a program that leaves its process group leaves our sight.
 */
public final class ChildProcess {

    private static final int ORPHAN_GRACE_SECONDS = 3;

    private static final String WATCH = """
            exec 3<&0
            ( trap '' HUP INT QUIT TERM
              while read -r line <&3; do :; done
              left=%d
              while [ $left -gt 0 ] && read -r pid name state parent rest < /proc/self/stat && [ "$parent" = $$ ]; do
                [ $left = %d ] && kill -TERM -$$ 2>/dev/null
                sleep 0.1; left=$((left - 1))
              done
              kill -KILL -$$
            ) >/dev/null 2>&1 &
            exec 3<&-
            exec "$@" </dev/null
            """.formatted(ORPHAN_GRACE_SECONDS * 10, ORPHAN_GRACE_SECONDS * 10);

    private final String name;
    private final Process process;
    private final Path log;
    private final CompletableFuture<Integer> exit = new CompletableFuture<>();

    private ChildProcess(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
        // Process.onExit answers on the common pool, whose one thread (on two cores) anybody may hold up.
        Thread.ofVirtual().name("exit of " + name).start(this::awaitExit);
    }

    private void awaitExit() {
        try {
            exit.complete(process.waitFor());
        } catch (InterruptedException e) {
            exit.completeExceptionally(e);
            Thread.currentThread().interrupt();
        }
    }

    /** What to start. The environment is the whole environment: nothing of ours is inherited. */
    public record Spec(String name, List<String> command, Map<String, String> environment, Path folder, Path log) {
        public Spec {
            command = List.copyOf(command);
            environment = Map.copyOf(environment);
            if (command.isEmpty()) {
                throw new IllegalArgumentException("no command for " + name);
            }
        }
    }

    /** Starts the program; its standard output and error are appended to the log. */
    public static ChildProcess start(Spec spec) throws IOException {
        List<String> words = new ArrayList<>(List.of(setsid(), "/bin/sh", "-c", WATCH, "watch"));
        words.addAll(spec.command());
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(spec.folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(spec.log().toFile()));
        builder.environment().clear();
        builder.environment().putAll(spec.environment());
        return new ChildProcess(spec.name(), builder.start(), spec.log());
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public Path log() {
        return log;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The exit code as a shell gives it: 128 + N after signal N. Completed when the program has ended. */
    public CompletableFuture<Integer> exit() {
        return exit.copy();
    }

    /** The same, of a program that has ended. */
    public int exitCode() {
        return process.exitValue();
    }

    /** Waits for the end; empty-handed after {@code limit}. */
    public boolean waitFor(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** SIGTERM to the program alone, as a container runtime does. */
    public void terminate() {
        process.toHandle().destroy(); // Process.destroy would close the pipe too, which says that we have died
    }

    /** SIGKILL; what the program left behind in its group goes with it. */
    public void kill() {
        process.toHandle().destroyForcibly();
    }

    /** SIGTERM, then after {@code grace} SIGKILL. Returns when the program has ended. */
    public void stop(Duration grace) {
        terminate();
        try {
            if (!waitFor(grace)) {
                kill();
                waitFor(Duration.ofSeconds(10));
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
    }

    /** The last lines of the log, for an error message. */
    public String logTail(int lines) {
        return LogTail.of(log, lines);
    }

    private static String setsid() {
        for (String folder : List.of("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")) {
            Path program = Path.of(folder, "setsid");
            if (Files.isExecutable(program)) {
                return program.toString();
            }
        }
        throw new UserError("the program 'setsid' is missing: install the package util-linux");
    }
}
