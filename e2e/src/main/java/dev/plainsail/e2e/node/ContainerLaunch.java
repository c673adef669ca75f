package dev.plainsail.e2e.node;

import dev.plainsail.e2e.process.ChildProcess;
import io.fabric8.kubernetes.api.model.Container;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** From a container's description to the process that runs it. Pure but for a look at which folders exist. */
record ContainerLaunch(
        Container container,
        Optional<Image> image,
        MountPaths mounts,
        String podIp,
        Path folder,
        Map<String, String> base,
        Map<String, String> declared) {

    private static final String SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /** The words to run: command or else the image's entrypoint, then args or else the image's own command. */
    List<String> words() {
        List<String> words = new ArrayList<>();
        if (!container.getCommand().isEmpty()) {
            words.addAll(container.getCommand());
            words.addAll(container.getArgs());
        } else {
            words.addAll(image.map(Image::entrypoint).orElse(List.of()));
            words.addAll(
                    container.getArgs().isEmpty() ? image.map(Image::command).orElse(List.of()) : container.getArgs());
        }
        Map<String, String> variables = environment();
        List<String> expanded =
                words.stream().map(word -> Expansion.expand(word, variables)).toList();
        return EngineHost.listenOn(podIp, mounts.replace(expanded));
    }

    Map<String, String> environment() {
        Map<String, String> all = new LinkedHashMap<>(base);
        image.ifPresent(i -> all.putAll(i.environment()));
        declared.forEach((name, value) -> all.put(name, mounts.replace(value)));
        String path = all.getOrDefault("PATH", SYSTEM_PATH);
        all.put("PATH", image.map(i -> i.programs() + ":" + path).orElse(path));
        return all;
    }

    private Path workingFolder() {
        String wanted = container.getWorkingDir();
        Path place = wanted == null || wanted.isEmpty() ? folder : Path.of(mounts.replace(wanted));
        return Files.isDirectory(place) ? place : folder;
    }

    ChildProcess.Spec spec(Path log) {
        return process(words(), log);
    }

    /** Another command in the same surroundings: an exec probe, a preStop hook. Its variables are the shell's business. */
    ChildProcess.Spec inside(List<String> words, Path log) {
        return process(mounts.replace(words), log);
    }

    private ChildProcess.Spec process(List<String> words, Path log) {
        return new ChildProcess.Spec(container.getName(), words, environment(), workingFolder(), log);
    }

    /** Whether the first word can be run; an unknown program would only show as exit code 127. */
    boolean isRunnable(List<String> words) {
        String program = words.getFirst();
        if (program.contains("/")) {
            return Files.isExecutable(workingFolder().resolve(program));
        }
        return List.of(environment().getOrDefault("PATH", "").split(":")).stream()
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }
}
