package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.GoTool;
import dev.plainsail.e2e.cache.Progress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Builds the one program {@code kube} from the module in {@code src/main/kube}: about 18 minutes of processor time and 4.5 GB of
 * disk.
 */
final class GoBuild {

    private static final long NEEDED_BYTES = 6_000_000_000L;
    private static final int PACKAGES = 2750;
    private static final List<String> SOURCES = List.of("main.go", "go.mod", "go.sum");

    private final Cache cache;
    private final Map<String, String> environment;

    GoBuild(Cache cache, Map<String, String> environment) {
        this.cache = cache;
        this.environment = environment;
    }

    void kube(Path go, Path target, String version, Progress.Step step) throws IOException, InterruptedException {
        cache.requireRoom("Building Kubernetes " + version + " with Go", NEEDED_BYTES);
        GoTool tool = GoTool.in(cache, ".go-build", go, environment);
        Path source = Files.createDirectories(tool.work().resolve("source"));
        for (String name : SOURCES) {
            copy(name, source.resolve(name));
        }
        Path log = tool.work().resolve("build.log");
        Files.deleteIfExists(log);
        Thread counter = Thread.ofVirtual().start(() -> count(log, step));
        try {
            tool.run(
                    "Kubernetes could not be built",
                    source,
                    log,
                    "build",
                    "-v",
                    "-buildvcs=false",
                    "-trimpath",
                    "-ldflags",
                    linkerFlags(version),
                    "-o",
                    target.toString(),
                    ".");
        } finally {
            counter.interrupt();
        }
        tool.done();
    }

    /** Without these the programs call themselves v0.0.0-master+$Format, and clients refuse them. */
    private static String linkerFlags(String version) {
        String[] numbers = version.split("\\.");
        StringBuilder flags = new StringBuilder("-s -w");
        for (String variables : List.of("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")) {
            flags.append(" -X ").append(variables).append(".gitVersion=v").append(version);
            flags.append(" -X ").append(variables).append(".gitMajor=").append(numbers[0]);
            flags.append(" -X ").append(variables).append(".gitMinor=").append(numbers[1]);
            flags.append(" -X ").append(variables).append(".gitTreeState=clean");
            flags.append(" -X ").append(variables).append(".gitCommit=plainsail");
            flags.append(" -X ").append(variables).append(".buildDate=2026-01-01T00:00:00Z");
        }
        return flags.toString();
    }

    private static void copy(String name, Path target) throws IOException {
        try (InputStream in = GoBuild.class.getResourceAsStream("/kube/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the build left out /kube/" + name);
            }
            Files.deleteIfExists(target);
            Files.copy(in, target);
        }
    }

    private static void count(Path log, Progress.Step step) {
        try {
            while (true) {
                Thread.sleep(2000);
                if (Files.exists(log)) {
                    try (Stream<String> lines = Files.lines(log)) {
                        long done =
                                lines.filter(line -> !line.startsWith("go: ")).count();
                        step.note("building with Go, once; package " + done + " of about " + PACKAGES);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the build ended
        } catch (IOException e) {
            step.note("building with Go, once");
        }
    }
}
