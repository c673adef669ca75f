package dev.plainsail.e2e.vllm;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The real vLLM in the cache folder. It is large, so it is never installed unasked: the variable {@code PLAINSAIL_VLLM} says {@code
 * install}, {@code off}, or nothing, which means: use it when it is there.
 */
public final class VllmInstallation {
    /** As in {@code e2e/vllm} and the launcher; a test compares them. */
    static final String VERSION = "0.32.0";

    /** How to get it, for a message that says that it is missing. */
    public static final String HOW = "install it with e2e/vllm (about 6 GB, 5 to 15 minutes)";

    /** The name of the tiny model, as vLLM's launcher knows it. */
    public static final String TINY_MODEL = "plainsail/tiny";

    private static final String VARIABLE = "PLAINSAIL_VLLM";

    private final Path folder;

    private VllmInstallation(Path folder) {
        this.folder = folder;
    }

    /** The installation, if there is one; never waits. */
    public static Optional<VllmInstallation> find(Map<String, String> environment) {
        Path folder = Cache.of(environment, Progress.silent()).folder().resolve("vllm-" + VERSION);
        return Files.exists(folder.resolve("complete")) ? Optional.of(new VllmInstallation(folder)) : Optional.empty();
    }

    /**
     * The installation as {@code PLAINSAIL_VLLM} asks for it; installing takes minutes.
     *
     * @param script {@code e2e/vllm}; what it prints goes to our standard output
     * @throws UserError for another value of the variable, or when the script fails, which has then said why
     */
    public static Optional<VllmInstallation> wanted(Map<String, String> environment, Path script) {
        String asked = environment.getOrDefault(VARIABLE, "");
        return switch (asked) {
            case "" -> find(environment);
            case "off" -> Optional.empty();
            case "install" -> {
                if (find(environment).isEmpty()) {
                    run(script, environment);
                }
                yield find(environment);
            }
            default -> throw new UserError(VARIABLE + " is \"" + asked + "\"; write install, off, or nothing");
        };
    }

    private static void run(Path script, Map<String, String> environment) {
        ProcessBuilder builder = new ProcessBuilder(script.toAbsolutePath().toString(), "install")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT);
        builder.environment().clear();
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            try {
                if (process.waitFor() != 0) {
                    throw new UserError(script + " failed; what it printed says why");
                }
            } finally {
                process.destroy();
            }
        } catch (IOException e) {
            throw new UserError(script + " cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserError("interrupted while vLLM was being installed; run it again, it goes on from there", e);
        }
    }

    /** Where it is. */
    public Path folder() {
        return folder;
    }

    /** Its Python. */
    public Path python() {
        return folder.resolve("venv/bin/python");
    }
}
