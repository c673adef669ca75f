package dev.plainsail.e2e.cluster;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Download;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import dev.plainsail.e2e.process.Trees;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Kubernetes' own programs, in the cache. The first that holds: they are there; an archive named by {@code
 * PLAINSAIL_TESTBED_ARCHIVE}; the official release files with their checksums; built once with Go from the module in {@code
 * src/main/kube}. Each program is tried before the cache takes it.
 */
public final class KubernetesBinaries {

    public static final String VERSION = "1.36.3";
    static final String ETCD_VERSION = "3.6.16";

    static final List<String> KUBERNETES =
            List.of("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl");
    static final List<String> ALL =
            List.of("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl");

    static final List<String> NODE = List.of("kubelet", "kube-proxy");

    private static final long RELEASE_BYTES = 800_000_000L;
    private static final Cache.Entry ENTRY =
            new Cache.Entry("kubernetes-" + VERSION, "Kubernetes " + VERSION, RELEASE_BYTES);

    private static final Cache.Entry NODE_ENTRY =
            new Cache.Entry("kubernetes-node-" + VERSION, "kubelet and kube-proxy " + VERSION, 300_000_000L);

    private final Cache cache;
    private final Map<String, String> environment;
    private final Origins origins;

    /** Where releases come from: {@code <kubernetes>/v1.2.3/bin/linux/...}, {@code <etcd>/v1.2.3/...}. */
    record Origins(String kubernetes, String etcd) {
        static final Origins OFFICIAL =
                new Origins("https://dl.k8s.io", "https://github.com/etcd-io/etcd/releases/download");
    }

    public KubernetesBinaries(Cache cache, Map<String, String> environment) {
        this(cache, environment, Origins.OFFICIAL);
    }

    KubernetesBinaries(Cache cache, Map<String, String> environment, Origins origins) {
        this.cache = cache;
        this.environment = Map.copyOf(environment);
        this.origins = origins;
    }

    /** The folder with the programs, got first when it is missing. */
    public Path folder() {
        Platform platform = Platform.current();
        return cache.get(ENTRY, (empty, step) -> fill(empty, step, platform)).resolve("bin");
    }

    /**
     * How to call a program that only a node needs, {@code kubelet} or {@code kube-proxy}: the one program {@code kube} is told its
     * part; official release files are fetched when they are first wanted.
     */
    public List<String> nodeProgram(String name) {
        Path kube = folder().resolve("kube");
        if (Files.exists(kube)) {
            return List.of(kube.toString(), name);
        }
        Platform platform = Platform.current();
        Path programs = cache.get(NODE_ENTRY, (empty, step) -> {
            for (String program : NODE) {
                download(program, empty, platform, step);
                makeExecutable(empty, program);
            }
        });
        return List.of(programs.resolve(name).toString());
    }

    private void fill(Path empty, Progress.Step step, Platform platform) throws IOException, InterruptedException {
        Path bin = Files.createDirectory(empty.resolve("bin"));
        String archive = environment.getOrDefault("PLAINSAIL_TESTBED_ARCHIVE", "");
        if (!archive.isBlank()) {
            unpack(Path.of(archive), empty, bin, step);
            tryAll(bin, platform);
            return;
        }
        List<String> failures = new ArrayList<>();
        try {
            download(bin, platform, step);
            tryAll(bin, platform);
            return;
        } catch (IOException e) {
            failures.add("downloaded (" + e.getMessage() + ")");
            Trees.delete(bin);
            Files.createDirectory(bin);
        }
        Optional<Path> go = Command.find("go", environment);
        if (go.isEmpty()) {
            throw new UserError(
                    "Kubernetes " + VERSION + " cannot be " + String.join(", ", failures)
                            + " and not built (there is no 'go' on the PATH): connect to the network, or install Go 1.26 or newer");
        }
        new GoBuild(cache, environment).kube(go.get(), bin.resolve("kube"), VERSION, step);
        link(bin);
        tryAll(bin, platform);
    }

    private void unpack(Path archive, Path into, Path bin, Progress.Step step)
            throws IOException, InterruptedException {
        if (!Files.isReadable(archive)) {
            throw new UserError("PLAINSAIL_TESTBED_ARCHIVE names " + archive + ", which cannot be read: unset it");
        }
        step.note("unpacking " + archive.getFileName());
        run("tar", List.of("tar", "-xf", archive.toAbsolutePath().toString(), "--strip-components=1"), into);
        link(bin);
    }

    private void download(Path bin, Platform platform, Progress.Step step) throws IOException, InterruptedException {
        Download download = new Download();
        for (String program : KUBERNETES) {
            download(program, bin, platform, step);
        }
        String name = "etcd-v" + ETCD_VERSION + "-linux-" + platform.architecture();
        String base = origins.etcd() + "/v" + ETCD_VERSION + "/";
        String sha256 = sumOf(name + ".tar.gz", download.text(URI.create(base + "SHA256SUMS")));
        Path archive = bin.resolve("etcd.tar.gz");
        download.file(URI.create(base + name + ".tar.gz"), archive, sha256, step);
        run("tar", List.of("tar", "-xzf", archive.toString(), "--strip-components=1", name + "/etcd"), bin);
        Files.delete(archive);
        for (String program : ALL) {
            makeExecutable(bin, program);
        }
    }

    private void download(String program, Path bin, Platform platform, Progress.Step step)
            throws IOException, InterruptedException {
        Download download = new Download();
        String uri = origins.kubernetes() + "/v" + VERSION + "/bin/linux/" + platform.architecture() + "/" + program;
        String sha256 = download.text(URI.create(uri + ".sha256")).strip();
        download.file(URI.create(uri), bin.resolve(program), sha256, step);
    }

    private static void makeExecutable(Path bin, String program) throws IOException {
        if (!bin.resolve(program).toFile().setExecutable(true)) {
            throw new IOException(program + " cannot be made executable");
        }
    }

    static String sumOf(String file, String sums) throws IOException {
        return sums.lines()
                .map(line -> line.strip().split("\\s+\\*?"))
                .filter(words -> words.length == 2 && words[1].equals(file))
                .map(words -> words[0])
                .findFirst()
                .orElseThrow(() -> new IOException("the checksum list has no " + file));
    }

    /** One file acts by the name it is called. */
    private static void link(Path bin) throws IOException {
        for (String program : ALL) {
            Files.createSymbolicLink(bin.resolve(program), Path.of("kube"));
        }
    }

    private void tryAll(Path bin, Platform platform) throws IOException, InterruptedException {
        for (String program : ALL) {
            String file = bin.resolve(program).toString();
            List<String> command =
                    program.equals("kubectl") ? List.of(file, "version", "--client") : List.of(file, "--version");
            try {
                run(program, command, bin);
            } catch (Command.Failed e) {
                throw e.exitCode() == 126 || e.exitCode() == 127
                        ? new IOException(program + " does not start on this machine (" + platform.architecture()
                                + "): it was made for another architecture")
                        : e;
            }
        }
    }

    private void run(String name, List<String> command, Path folder) throws IOException, InterruptedException {
        Path log = Files.createTempFile("plainsail-" + name, ".log");
        Map<String, String> clean =
                Map.of("PATH", environment.getOrDefault("PATH", "/usr/bin:/bin"), "HOME", "/nonexistent");
        Command.run(new ChildProcess.Spec(name, command, clean, folder, log));
        Files.delete(log);
    }
}
