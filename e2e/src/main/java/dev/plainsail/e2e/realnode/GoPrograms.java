package dev.plainsail.e2e.realnode;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.GoTool;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import dev.plainsail.e2e.process.Trees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Programs that others publish as container images, and that we have without a registry: taken from the archive that {@code
 * PLAINSAIL_TESTBED_ARCHIVE} names, else built once with Go from their modules (2 to 4 minutes each on two idle cores) and kept
 * in the cache.
 */
public enum GoPrograms {

    /** The Kubernetes SIGs' example DRA driver: devices that do not exist, claims that do. */
    DRA_DRIVER(
            "dra-driver",
            "dra-driver-0.2.1",
            "dra-example-kubeletplugin",
            "sigs.k8s.io/dra-example-driver/cmd/dra-example-kubeletplugin",
            "",
            "go.mod go.sum"),
    /** cert-manager's controller, webhook and cainjector in one, and its CRDs under {@code crds}. */
    CERT_MANAGER(
            "certmanager",
            "cert-manager-1.21.2",
            "certmanager",
            ".",
            "github.com/cert-manager/cert-manager",
            "go.mod go.sum main.go");

    private static final long NEEDED_BYTES = 4_000_000_000L;

    private final String source;
    private final String version;
    private final String program;
    private final String module;
    private final String withCrds;
    private final String files;

    GoPrograms(String source, String version, String program, String module, String withCrds, String files) {
        this.source = source;
        this.version = version;
        this.program = program;
        this.module = module;
        this.withCrds = withCrds;
        this.files = files;
    }

    public String program() {
        return program;
    }

    /** The folder with the program, and with {@code crds} where it has some. */
    public Path folder(Cache cache, Map<String, String> environment) throws Unavailable {
        Cache.Entry entry = new Cache.Entry(version, version, 300_000_000L);
        String archive = environment.getOrDefault("PLAINSAIL_TESTBED_ARCHIVE", "");
        Optional<Path> go = Command.find("go", environment);
        if (!cache.has(entry) && archive.isBlank() && go.isEmpty()) {
            throw new Unavailable(version + " is built with Go, and there is no 'go' on the PATH");
        }
        try {
            return cache.get(entry, (empty, step) -> {
                if (archive.isBlank()) {
                    build(go.orElseThrow(), cache, environment, empty, step);
                } else {
                    unpack(Path.of(archive), empty, step);
                }
            });
        } catch (UserError e) {
            throw new Unavailable(version + " cannot be had", e);
        }
    }

    private void unpack(Path archive, Path empty, Progress.Step step) throws IOException, InterruptedException {
        step.note("unpacking " + archive.getFileName());
        Path log = empty.resolve("tar.log");
        List<String> command = List.of(
                "tar",
                "-xf",
                archive.toAbsolutePath().toString(),
                "--wildcards",
                "--strip-components=1",
                "*/bin/" + program,
                "*/crds/cert-manager");
        Command.run(new ChildProcess.Spec("tar", command, Map.of("PATH", "/usr/bin:/bin"), empty, log));
        Files.move(empty.resolve("bin").resolve(program), empty.resolve(program));
        Files.move(empty.resolve("crds/cert-manager"), empty.resolve("definitions"));
        Trees.delete(empty.resolve("crds"));
        if (withCrds.isEmpty()) {
            Trees.delete(empty.resolve("definitions"));
        } else {
            Files.move(empty.resolve("definitions"), empty.resolve("crds"));
        }
        Trees.delete(empty.resolve("bin"));
        Files.delete(log);
    }

    private void build(Path go, Cache cache, Map<String, String> environment, Path empty, Progress.Step step)
            throws IOException, InterruptedException {
        cache.requireRoom("Building " + version + " with Go", NEEDED_BYTES);
        GoTool tool = GoTool.in(cache, ".go-" + source, go, environment);
        Path sources = Files.createDirectories(tool.work().resolve("source"));
        for (String file : files.split(" ")) {
            copy(file, sources.resolve(file));
        }
        step.note("building with Go, once");
        tool.run(
                version + " could not be built",
                sources,
                tool.work().resolve("build.log"),
                "build",
                "-buildvcs=false",
                "-trimpath",
                "-ldflags",
                "-s -w",
                "-o",
                empty.resolve(program).toString(),
                module);
        if (!withCrds.isEmpty()) {
            Path answer = tool.work().resolve("module.txt");
            Files.deleteIfExists(answer);
            tool.run(
                    "the definitions of " + version + " could not be got",
                    sources,
                    answer,
                    "list",
                    "-m",
                    "-f",
                    "{{.Dir}}",
                    withCrds);
            copyCrds(Path.of(Files.readString(answer).strip(), "deploy", "crds"), empty.resolve("crds"));
        }
        tool.done();
    }

    /** Only the definitions: beside them lie notes and kustomizations. */
    private static void copyCrds(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (Stream<Path> all = Files.list(from)) {
            for (Path file : all.filter(f -> String.valueOf(f.getFileName()).matches(".*_.*\\.yaml"))
                    .toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private void copy(String file, Path target) throws IOException {
        try (InputStream in = GoPrograms.class.getResourceAsStream("/go/" + source + "/" + file)) {
            if (in == null) {
                throw new IllegalStateException("the build left out /go/" + source + "/" + file);
            }
            Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
