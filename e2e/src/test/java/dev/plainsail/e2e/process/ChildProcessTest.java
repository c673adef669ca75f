package dev.plainsail.e2e.process;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChildProcessTest {

    private static final Map<String, String> PATH = Map.of("PATH", "/usr/bin:/bin");

    @TempDir
    Path folder;

    @Test
    void thePidTheExitCodeAndTheEnvironmentAreTheProgramsOwn() throws Exception {
        ChildProcess child =
                start("sh", "-c", "echo pid $$; env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=; exit 7");
        assertThat(child.exit().get()).isEqualTo(7);
        assertThat(child.log()).content().isEqualTo("pid " + child.pid() + "\nPATH=/usr/bin:/bin\n");
    }

    @Test
    void wordsArriveAsTheyAre() throws Exception {
        ChildProcess child = start("printf", "[%s]", "a b", "", "$x", "*", "\"'");
        child.exit().get();
        assertThat(child.log()).content().isEqualTo("[a b][][$x][*][\"']");
    }

    @Test
    void aProgramThatIgnoresSigtermIsKilledAfterItsGrace() throws Exception {
        ChildProcess child = start("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done");
        await().until(() -> Files.readString(child.log()).contains("ready"));
        child.stop(Duration.ofMillis(300));
        assertThat(child.exit().get()).isEqualTo(128 + 9);
    }

    @Test
    void sigtermReachesTheProgramAloneAndOnce() throws Exception {
        ChildProcess child = start(
                "sh",
                "-c",
                "trap 'echo parent' TERM; "
                        + "sh -c 'trap \"echo child\" TERM; echo ready; while :; do sleep 0.1; done' & "
                        + "while :; do sleep 0.1; done");
        await().until(() -> Files.readString(child.log()).contains("ready"));
        child.terminate();
        await().until(() -> Files.readString(child.log()).contains("parent"));
        Thread.sleep(500);
        assertThat(child.log()).content().isEqualTo("ready\nparent\n");
        assertThat(child.isAlive()).isTrue();
        child.kill();
    }

    @Test
    void whatTheProgramLeavesBehindGoesWithIt() throws Exception {
        ChildProcess child = start("sh", "-c", "sleep 1000 & echo $!; wait");
        long grandchild = firstNumber(child);
        child.kill();
        await().until(() -> !runs(grandchild));
    }

    @Test
    void nothingOutlivesAParentThatIsKilledHard() throws Exception {
        ChildProcess parent = ChildProcess.start(new ChildProcess.Spec(
                "parent",
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ParentOfThree.class.getName(),
                        folder.toString()),
                PATH,
                folder,
                folder.resolve("parent.log")));
        await().until(() -> Files.readString(parent.log()).contains("all started"));
        List<Long> pids = Files.readString(parent.log())
                .lines()
                .filter(line -> line.matches("\\d+"))
                .map(Long::valueOf)
                .toList();
        await().until(() -> Files.exists(folder.resolve("listens")));
        assertThat(pids).hasSize(3).allMatch(ChildProcessTest::runs);
        ProcessHandle.of(parent.pid()).orElseThrow().destroyForcibly();
        await().until(() -> pids.stream().noneMatch(ChildProcessTest::runs));
        assertThat(folder.resolve("polite"))
                .as("who listens to SIGTERM gets it first")
                .exists();
    }

    /** Starts three programs: a plain one, a polite one, and one that ignores SIGTERM; then waits to be killed. */
    static final class ParentOfThree {
        private ParentOfThree() {}

        public static void main(String[] arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            for (String script : List.of(
                    "exec sleep 1000",
                    "trap 'touch " + folder + "/polite; exit 0' TERM; touch " + folder
                            + "/listens; while :; do sleep 0.1; done",
                    "trap '' TERM; while :; do sleep 0.1; done")) {
                ChildProcess child = ChildProcess.start(new ChildProcess.Spec(
                        "child", List.of("sh", "-c", script), PATH, folder, folder.resolve("child.log")));
                System.out.println(child.pid());
            }
            System.out.println("all started");
            Thread.sleep(100_000);
        }
    }

    @Test
    void aCommandThatFailsShowsItsLog() {
        Path log = folder.resolve("command.log");
        assertThatThrownBy(() -> Command.run(new ChildProcess.Spec(
                        "tool", List.of("sh", "-c", "echo one; echo two; exit 3"), PATH, folder, log)))
                .isInstanceOf(Command.Failed.class)
                .hasMessage("tool ended with exit code 3, log " + log + ":\none\ntwo");
    }

    @Test
    void theTailIsTheTail() throws IOException {
        Path log = folder.resolve("log");
        Files.writeString(log, "x".repeat(100) + "\n".repeat(20_000) + "a\nb\nc\n");
        assertThat(LogTail.of(log, 2)).isEqualTo("b\nc");
        assertThat(LogTail.of(folder.resolve("missing"), 2)).contains("cannot be read");
    }

    @Test
    void programsAreFoundOnTheGivenPathOnly() throws IOException {
        Path program = Files.writeString(folder.resolve("tool"), "#!/bin/sh\n");
        assertThat(Command.find("tool", Map.of("PATH", folder.toString()))).isEmpty();
        assertThat(program.toFile().setExecutable(true)).isTrue();
        assertThat(Command.find("tool", Map.of("PATH", "relative:" + folder))).isEqualTo(Optional.of(program));
        assertThat(Command.find("tool", Map.of())).isEmpty();
    }

    private ChildProcess start(String... words) throws IOException {
        return ChildProcess.start(
                new ChildProcess.Spec("child", List.of(words), PATH, folder, folder.resolve("child.log")));
    }

    private static long firstNumber(ChildProcess child) throws IOException {
        await().until(() -> Files.readString(child.log()).endsWith("\n"));
        return Long.parseLong(Files.readString(child.log()).strip());
    }

    /** Whether it runs; a zombie, which its new parent has not yet collected, does not. */
    private static boolean runs(long pid) {
        try {
            return !Files.readString(Path.of("/proc", Long.toString(pid), "stat"))
                    .replaceFirst(".*\\) ", "")
                    .startsWith("Z");
        } catch (IOException e) {
            return false;
        }
    }
}
