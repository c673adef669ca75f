package dev.plainsail.webhook.engine;

import java.util.List;
import java.util.Optional;

/**
 * What an image is known to contain, so that nobody has to pull it to find out.
 *
 * @param repository the image without registry host, tag and digest; a trailing {@code *} stands for any rest
 * @param engine name of the engine in it
 * @param entrypoint the image's ENTRYPOINT
 * @param command the image's CMD, which {@code args} would replace
 * @param libraryPath the image's own LIBRARY_PATH; empty if it sets none
 */
public record KnownImage(
        String repository, String engine, List<String> entrypoint, List<String> command, String libraryPath) {

    public KnownImage {
        entrypoint = List.copyOf(entrypoint);
        command = List.copyOf(command);
    }

    /** The first of the table that matches. */
    public static Optional<KnownImage> find(List<KnownImage> table, String image) {
        String repository = repository(image);
        return table.stream().filter(known -> known.matches(repository)).findFirst();
    }

    private boolean matches(String candidate) {
        return repository.endsWith("*")
                ? candidate.startsWith(repository.substring(0, repository.length() - 1))
                : candidate.equals(repository);
    }

    /** {@code ghcr.io/llm-d/llm-d-cuda:v0.9.0@sha256:...} is {@code llm-d/llm-d-cuda}; mirrors keep the last two parts. */
    static String repository(String image) {
        String name = image.contains("@") ? image.substring(0, image.indexOf('@')) : image;
        int tag = name.lastIndexOf(':');
        if (tag > name.lastIndexOf('/')) {
            name = name.substring(0, tag);
        }
        int last = name.lastIndexOf('/');
        int previous = last < 0 ? -1 : name.lastIndexOf('/', last - 1);
        return name.substring(previous + 1);
    }
}
