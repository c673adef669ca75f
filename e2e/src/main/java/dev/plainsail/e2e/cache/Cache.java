package dev.plainsail.e2e.cache;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.process.Trees;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * A folder of versioned folders. An entry that is there is whole: it is made in a temporary neighbour and moved into place
 * in one step, so that an interrupted fetch or build leaves nothing but a neighbour that the next one clears away. A file
 * lock lets one program at a time make an entry; a second one waits, says for whom, and then finds it made.
 */
public final class Cache {

    private final Path folder;
    private final Progress progress;

    public Cache(Path folder, Progress progress) {
        this.folder = folder.toAbsolutePath().normalize();
        this.progress = progress;
    }

    /** {@code $PLAINSAIL_CACHE}, else {@code $XDG_CACHE_HOME/plainsail}, else {@code ~/.cache/plainsail}. */
    public static Cache of(Map<String, String> environment, Progress progress) {
        String own = environment.getOrDefault("PLAINSAIL_CACHE", "");
        if (!own.isBlank()) {
            return new Cache(Path.of(own), progress);
        }
        String shared = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path parent = shared.startsWith("/")
                ? Path.of(shared)
                : Path.of(environment.getOrDefault("HOME", System.getProperty("user.home")), ".cache");
        return new Cache(parent.resolve("plainsail"), progress);
    }

    /** What is wanted: the folder's name, which carries the version; what to call it; room that making it needs. */
    public record Entry(String name, String title, long bytesNeeded) {
        public Entry {
            if (!name.matches("[a-z0-9][a-z0-9._-]*")) {
                throw new IllegalArgumentException("not a name for a cache entry: " + name);
            }
        }
    }

    /** Makes an entry's content. */
    @FunctionalInterface
    public interface Fill {
        /** Fills the empty folder. It is moved afterwards, so no absolute path of it may end up inside a file. */
        void into(Path empty, Progress.Step step) throws IOException, InterruptedException;
    }

    public Path folder() {
        return folder;
    }

    public Progress progress() {
        return progress;
    }

    /** Whether the entry is there; never waits. */
    public boolean has(Entry entry) {
        return Files.isDirectory(place(entry));
    }

    /** Where the entry is, or will be. */
    public Path place(Entry entry) {
        return folder.resolve(entry.name());
    }

    /**
     * The entry's folder, made first when it is missing.
     *
     * @throws UserError when the folder cannot be written, the disk is too small, or making it failed
     */
    public Path get(Entry entry, Fill fill) {
        if (has(entry)) {
            return place(entry);
        }
        prepare();
        try (CacheLock lock = CacheLock.take(folder.resolve("." + entry.name() + ".lock"), entry.title(), progress)) {
            if (has(entry)) {
                return place(entry);
            }
            lock.writeHolder();
            clearNeighbours(entry);
            requireRoom(entry.title(), entry.bytesNeeded());
            return make(entry, fill);
        } catch (IOException e) {
            throw new UserError(entry.title() + " could not be put into " + folder + ": " + reason(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserError(
                    "interrupted while getting " + entry.title() + "; run it again, nothing is half done", e);
        }
    }

    private Path make(Entry entry, Fill fill) throws IOException, InterruptedException {
        Path temporary =
                folder.resolve(neighbourPrefix(entry) + ProcessHandle.current().pid() + "-"
                        + ThreadLocalRandom.current().nextInt(1_000_000));
        Files.createDirectory(temporary);
        try (Progress.Step step = progress.begin("Getting " + entry.title())) {
            fill.into(temporary, step);
            Files.move(temporary, place(entry), StandardCopyOption.ATOMIC_MOVE);
            step.done();
            return place(entry);
        } finally {
            Trees.delete(temporary);
        }
    }

    /** Only the holder of the lock makes neighbours, so all that are found were left by one that died. */
    private void clearNeighbours(Entry entry) throws IOException {
        List<Path> left;
        try (Stream<Path> files = Files.list(folder)) {
            left = files.filter(f -> f.getFileName().toString().startsWith(neighbourPrefix(entry)))
                    .toList();
        }
        for (Path neighbour : left) {
            Trees.delete(neighbour);
        }
    }

    private static String neighbourPrefix(Entry entry) {
        return "." + entry.name() + ".making-";
    }

    private void prepare() {
        try {
            Files.createDirectories(folder);
            Path probe = Files.createTempFile(folder, ".probe", "");
            Files.delete(probe);
        } catch (IOException e) {
            throw new UserError(
                    "the cache folder " + folder + " cannot be written (" + reason(e)
                            + "): set PLAINSAIL_CACHE to a folder that you own",
                    e);
        }
    }

    /** Refuses when the cache's disk has less room than that. */
    public void requireRoom(String title, long bytesNeeded) throws IOException {
        long free = Files.getFileStore(folder).getUsableSpace();
        if (free < bytesNeeded) {
            throw new UserError(
                    "%s needs %s in %s, which has %s free: free some, or set PLAINSAIL_CACHE to a larger disk"
                            .formatted(title, size(bytesNeeded), folder, size(free)));
        }
    }

    /** {@code 350 MB}, {@code 4.5 GB}. */
    static String size(long bytes) {
        return bytes < 1_000_000_000
                ? String.format("%d MB", Math.ceilDiv(bytes, 1_000_000L))
                : String.format("%.1f GB", bytes / 1e9);
    }

    private static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        String message = String.valueOf(e.getMessage());
        return message.isBlank() || message.startsWith("/")
                ? message + " " + e.getClass().getSimpleName()
                : message;
    }
}
