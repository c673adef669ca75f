package dev.plainsail.e2e.story;

import dev.plainsail.e2e.UserError;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A container's process as the kernel shows it: nothing here is taken from the pod's object but what the container is called.
 *
 * @param words its command line
 * @param environment as it was at the process's start
 */
public record RunningContainer(long pid, List<String> words, Map<String, String> environment) {
    private static final String PROCESS = "process://";
    private static final String CONTAINERD = "containerd://";

    public RunningContainer {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
    }

    public static RunningContainer of(Pod pod, String container) throws IOException {
        String id = pod.getStatus().getContainerStatuses().stream()
                .filter(status -> status.getName().equals(container))
                .map(ContainerStatus::getContainerID)
                .filter(text -> text != null && !text.isEmpty())
                .findFirst()
                .orElseThrow(() -> new UserError(
                        "container " + container + " of " + pod.getMetadata().getName() + " does not run here"));
        return of(pid(id));
    }

    private static RunningContainer of(long pid) throws IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        for (String entry : entries(pid, "environ")) {
            int equals = entry.indexOf('=');
            if (equals > 0) {
                environment.put(entry.substring(0, equals), entry.substring(equals + 1));
            }
        }
        return new RunningContainer(pid, entries(pid, "cmdline"), environment);
    }

    /** A container's first process, as this machine numbers it: of a real one, the process that is 1 inside. */
    private static long pid(String id) throws IOException {
        if (id.startsWith(PROCESS)) {
            return Long.parseLong(id.substring(PROCESS.length()));
        }
        if (!id.startsWith(CONTAINERD)) {
            throw new UserError("the container " + id + " does not run here");
        }
        String name = id.substring(CONTAINERD.length());
        try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
            return all.mapToLong(ProcessHandle::pid)
                    .filter(pid -> text(pid, "cgroup").contains(name))
                    .filter(pid -> text(pid, "status")
                            .lines()
                            .anyMatch(line -> line.startsWith("NSpid:") && line.endsWith("\t1")))
                    .findFirst()
                    .orElseThrow(() -> new UserError("the container " + id + " does not run here"));
        }
    }

    private static String text(long pid, String file) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return ""; // it has ended, or is not ours to see
        }
    }

    private static List<String> entries(long pid, String file) throws IOException {
        String text = Files.readString(Path.of("/proc", Long.toString(pid), file), StandardCharsets.UTF_8);
        return new ArrayList<>(Arrays.asList(text.split("\0")));
    }

    /** The words from the engine's name on, without what started it: its interpreter, or the simulated engine's JVM. */
    public List<String> engineWords() {
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).equals("vllm") || words.get(i).startsWith("vllm.entrypoints")) {
                return words.subList(i, words.size());
            }
        }
        return words;
    }

    /** As {@code kill -9} does. */
    public void kill() {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
}
