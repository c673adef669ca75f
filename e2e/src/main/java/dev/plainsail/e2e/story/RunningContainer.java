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

/**
 * A container's process as the kernel shows it: nothing here is taken from the pod's object but the process's number.
 *
 * @param words its command line
 * @param environment as it was at the process's start
 */
public record RunningContainer(long pid, List<String> words, Map<String, String> environment) {
    private static final String SCHEME = "process://";

    public RunningContainer {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
    }

    public static RunningContainer of(Pod pod, String container) throws IOException {
        String id = pod.getStatus().getContainerStatuses().stream()
                .filter(status -> status.getName().equals(container))
                .map(ContainerStatus::getContainerID)
                .filter(text -> text != null && text.startsWith(SCHEME))
                .findFirst()
                .orElseThrow(() -> new UserError(
                        "container " + container + " of " + pod.getMetadata().getName() + " does not run here"));
        long pid = Long.parseLong(id.substring(SCHEME.length()));
        Map<String, String> environment = new LinkedHashMap<>();
        for (String entry : entries(pid, "environ")) {
            int equals = entry.indexOf('=');
            if (equals > 0) {
                environment.put(entry.substring(0, equals), entry.substring(equals + 1));
            }
        }
        return new RunningContainer(pid, entries(pid, "cmdline"), environment);
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
