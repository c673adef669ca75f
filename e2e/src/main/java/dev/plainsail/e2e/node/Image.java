package dev.plainsail.e2e.node;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What stands for a container image: its ENTRYPOINT, its CMD and variables, and the folder of its programs, which is put in
 * front of PATH.
 *
 * @param pattern of the image's name, {@code *} for any text: {@code docker.io/vllm/vllm-openai:*}
 */
public record Image(
        String pattern, Path programs, List<String> entrypoint, List<String> command, Map<String, String> environment) {

    public Image {
        entrypoint = List.copyOf(entrypoint);
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
    }

    /** An image with programs only: its containers name their command. */
    public static Image of(String pattern, Path programs) {
        return new Image(pattern, programs, List.of(), List.of(), Map.of());
    }

    boolean matches(String name) {
        String regex = Pattern.quote(pattern).replace("*", "\\E.*\\Q");
        return Pattern.matches(regex, name);
    }

    /** The first image that matches. */
    static Optional<Image> find(List<Image> table, String name) {
        return table.stream().filter(image -> image.matches(name)).findFirst();
    }
}
