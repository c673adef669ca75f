package dev.plainsail.e2e.cluster;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A second cluster, run by a program of its own beside the shared one: what dies is told, and nothing is left. */
final class OrphansIT {

    @TempDir
    Path folder;

    @Test
    void aPartThatDiesIsToldWithItsLogAndAKilledProgramLeavesNoProcess() throws Exception {
        ChildProcess program = start();
        Path cluster = awaitReady(program);
        Kubectl kubectl = new Kubectl(kubectlOf(program), cluster.resolve("kubeconfig"));
        kubectl.tryRun("""
                apiVersion: v1
                kind: Pod
                metadata: {name: sleeper}
                spec:
                  containers: [{name: main, image: busybox, command: [sh, -c, "trap '' TERM; while :; do sleep 1; done"]}]
                """, "apply", "-f", "-");
        kubectl.run("wait", "pod/sleeper", "--for=condition=Ready", "--timeout=120s");
        assertThat(processesOf(cluster))
                .as("the parts, a pod, and a watcher of each")
                .hasSizeGreaterThanOrEqualTo(10);

        long scheduler = Long.parseLong(pidOf(cluster, "kube-scheduler"));
        ProcessHandle.of(scheduler).orElseThrow().destroyForcibly();
        await().atMost(TestSpace.PATIENCE)
                .until(() -> Files.readString(program.log())
                        .contains("kube-scheduler ended with exit code 137; the end of " + cluster));

        program.kill();
        await().atMost(TestSpace.PATIENCE).until(() -> processesOf(cluster).isEmpty());
        Trees.delete(cluster);
    }

    @Test
    void aProgramThatIsInterruptedStopsEverythingInOrderAndClearsItsFolder() throws Exception {
        ChildProcess program = start();
        Path cluster = awaitReady(program);
        program.terminate(); // as Ctrl-C: the shutdown hook closes the cluster
        assertThat(program.waitFor(Duration.ofMinutes(2))).isTrue();
        // The watchers end a moment after what they watch.
        await().until(() -> processesOf(cluster).isEmpty());
        assertThat(cluster).doesNotExist();
    }

    private ChildProcess start() throws IOException {
        Map<String, String> environment = new HashMap<>(System.getenv());
        return ChildProcess.start(new ChildProcess.Spec(
                "cluster program",
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName()),
                environment,
                folder,
                folder.resolve("out.log")));
    }

    private static Path awaitReady(ChildProcess program) throws IOException {
        await().atMost(Duration.ofMinutes(4))
                .until(() -> Files.readString(program.log()).contains("Ctrl-C stops it") || !program.isAlive());
        assertThat(program.isAlive()).as(Files.readString(program.log())).isTrue();
        return Path.of(lineAfter(program, "KUBECONFIG=").replace("/kubeconfig", ""));
    }

    private static Path kubectlOf(ChildProcess program) throws IOException {
        return Path.of(lineAfter(program, "alias kubectl="));
    }

    private static String lineAfter(ChildProcess program, String mark) throws IOException {
        String text = Files.readString(program.log());
        return text.substring(text.indexOf(mark) + mark.length())
                .lines()
                .findFirst()
                .orElseThrow();
    }

    private static String pidOf(Path cluster, String part) {
        return processesOf(cluster).stream()
                .filter(process -> process.contains("/" + part + " "))
                .filter(process -> !process.contains("/bin/sh"))
                .map(process -> process.split(" ")[0])
                .findFirst()
                .orElseThrow();
    }

    /** "pid command line" of every process whose environment names the cluster's folder; zombies do not count. */
    private static List<String> processesOf(Path cluster) {
        List<String> all = new ArrayList<>();
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            for (Path process :
                    processes.filter(p -> p.toString().matches("/proc/\\d+")).toList()) {
                String environment = read(process.resolve("environ"));
                String command = read(process.resolve("cmdline"));
                if (!command.isEmpty() && environment.contains(cluster.toString())) {
                    all.add(process.getFileName() + " " + command);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return all;
    }

    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).replace('\0', ' ');
        } catch (IOException e) {
            return ""; // it ended while we looked, or is not ours to look at
        }
    }
}
