package dev.plainsail.e2e.cache;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import dev.plainsail.e2e.process.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The user's {@code go}, at work in a folder of the cache. Its own caches lie there, unless the user's environment names others:
 * interrupted work goes on where it stopped, {@link #done} removes what only the work needed.
 */
public final class GoTool {
    private final Path program;
    private final Path work;
    private final Map<String, String> environment;

    private GoTool(Path program, Path work, Map<String, String> environment) {
        this.program = program;
        this.work = work;
        this.environment = environment;
    }

    /** @param name of the folder, the same each time */
    public static GoTool in(Cache cache, String name, Path program, Map<String, String> environment)
            throws IOException {
        Path work = Files.createDirectories(cache.folder().resolve(name));
        Map<String, String> all = new HashMap<>(environment);
        all.putIfAbsent("GOMODCACHE", work.resolve("modules").toString());
        all.putIfAbsent("GOCACHE", work.resolve("objects").toString());
        all.put("GOTMPDIR", Files.createDirectories(work.resolve("tmp")).toString());
        all.put("CGO_ENABLED", "0");
        all.put("GOFLAGS", "");
        return new GoTool(program, work, all);
    }

    /** The same with one more variable. */
    public GoTool with(String variable, String value) {
        Map<String, String> more = new HashMap<>(environment);
        more.put(variable, value);
        return new GoTool(program, work, more);
    }

    /** Its folder. */
    public Path work() {
        return work;
    }

    /**
     * Runs it to its end.
     *
     * @param failure what to say of a run that fails, as in {@code Kubernetes could not be built}
     * @param log gets what it says
     * @throws UserError if it fails
     */
    public void run(String failure, Path folder, Path log, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(words));
        try {
            Command.run(new ChildProcess.Spec("go " + words[0], command, environment, folder, log));
        } catch (Command.Failed e) {
            throw new UserError(
                    failure + " with Go; if it is the network, run it again, it goes on where it stopped. "
                            + e.getMessage(),
                    e);
        }
    }

    /**
     * Downloads a module.
     *
     * @param module its path, which has no capital letters (Go writes those in another way)
     * @param version as {@code v1.2.3}
     * @return the folder with its files
     */
    public Path module(String module, String version) throws IOException, InterruptedException {
        String name = module + "@" + version;
        run(module + " could not be got", work, work.resolve("download.log"), "mod", "download", name);
        return Path.of(environment.getOrDefault("GOMODCACHE", "")).resolve(name);
    }

    /** Removes the folder, with the caches that lie in it. */
    public void done() throws IOException {
        Trees.delete(work);
    }
}
