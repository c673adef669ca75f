package dev.plainsail.e2e.realnode;

import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A kubelet, kube-proxy and containerd that run. They share the machine's kernel and see its files, but have network, mounts
 * and processes of their own, so that the kernel ends every one of them, containers included, with the first; that one ends
 * with {@code close} or with this JVM.
 */
public final class RealNode implements AutoCloseable {

    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Duration CLEANING = Duration.ofSeconds(20);

    private final NodeFiles files;
    private final Path packages;
    private final ChildProcess node;
    private final ChildProcess cleaner;

    private RealNode(NodeFiles files, Path packages, ChildProcess node, ChildProcess cleaner) {
        this.files = files;
        this.packages = packages;
        this.node = node;
        this.cleaner = cleaner;
    }

    /**
     * What the control plane gives a node.
     *
     * @param address its address inside its network; free, since that network leads nowhere
     * @param pki folder with {@code ca.crt} and the kubelet's pair
     * @param configs folder with {@code kubelet.kubeconfig} and {@code kube-proxy.kubeconfig}
     */
    public record Settings(
            String name,
            String address,
            String podRange,
            String controlGroup,
            Path pki,
            Path configs,
            Programs programs) {
        String kubeconfig(String program) {
            return configs.resolve(program + ".kubeconfig").toString();
        }
    }

    /** Commands: the two programs of Kubernetes, and what joins the node's network to the control plane. */
    public record Programs(List<String> kubelet, List<String> kubeProxy, List<String> bridge) {
        public Programs {
            kubelet = List.copyOf(kubelet);
            kubeProxy = List.copyOf(kubeProxy);
            bridge = List.copyOf(bridge);
        }
    }

    /** A name that no other node of this machine has. */
    public static String newControlGroup() {
        return "plainsail-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    }

    /** Why this machine can have no node at all, if so. */
    public static Optional<String> obstacle() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return Optional.of("a real node runs on Linux only");
        }
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("a real node needs root");
        }
        for (String program : List.of("unshare", "setsid", "tar")) {
            if (Command.find(program, Map.of("PATH", "/usr/bin:/bin")).isEmpty()) {
                return Optional.of("a real node needs the program " + program);
            }
        }
        return Optional.empty();
    }

    /** The unpacked programs, got first when they are missing. */
    public static Path packages(Cache cache, Map<String, String> environment) throws Unavailable {
        return new DebianPackages(cache, environment).folder();
    }

    /** Returns when containerd answers; the kubelet registers itself some moments later. */
    public static RealNode start(Path folder, Path packages, Settings settings)
            throws IOException, InterruptedException, Unavailable {
        NodeFiles files = new NodeFiles(Files.createDirectories(folder), settings);
        files.write();
        Map<String, String> environment = new HashMap<>(Map.of(
                "PATH", "/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME", folder.toString(),
                "FOLDER", folder.toString(),
                "PACKAGES", packages.toString(),
                "ADDRESS", settings.address(),
                "CGROUP", settings.controlGroup()));
        Path cleaning = script("cgroups.sh", folder);
        ChildProcess cleaner = ChildProcess.start(new ChildProcess.Spec(
                "cleaner", List.of("/bin/sh", cleaning.toString()), environment, Path.of("/"), Path.of("/dev/null")));
        environment.put("BRIDGE", String.join(" ", settings.programs().bridge()));
        environment.put("KUBELET", String.join(" ", kubelet(files)));
        environment.put(
                "KUBE_PROXY",
                String.join(" ", settings.programs().kubeProxy()) + " --config=" + folder.resolve("kube-proxy.yaml"));
        List<String> command = List.of(
                "unshare",
                "--net",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount-proc",
                "--propagation",
                "private",
                "/bin/sh",
                script("node.sh", folder).toString());
        ChildProcess node = ChildProcess.start(
                new ChildProcess.Spec("node", command, environment, Path.of("/"), folder.resolve("log/node.log")));
        RealNode started = new RealNode(files, packages, node, cleaner);
        try {
            started.awaitContainerd();
            return started;
        } catch (IOException | InterruptedException | Unavailable | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private static List<String> kubelet(NodeFiles files) {
        RealNode.Settings settings = files.settings();
        List<String> command = new ArrayList<>(settings.programs().kubelet());
        command.addAll(List.of(
                "--config=" + files.folder().resolve("kubelet.yaml"),
                "--kubeconfig=" + settings.kubeconfig("kubelet"),
                "--root-dir=" + files.folder().resolve("kubelet"),
                "--hostname-override=" + settings.name(),
                "--node-ip=" + settings.address()));
        return command;
    }

    private static Path script(String name, Path folder) throws IOException {
        try (InputStream in = RealNode.class.getResourceAsStream("/realnode/" + name)) {
            if (in == null) {
                throw new IllegalStateException("the build left out /realnode/" + name);
            }
            Path file = folder.resolve(name);
            Files.copy(in, file);
            return file;
        }
    }

    private void awaitContainerd() throws IOException, InterruptedException, Unavailable {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (!ctr("version")) {
            if (!node.isAlive()) {
                throw new Unavailable("a real node does not start on this machine: "
                        + node.logTail(8).replace('\n', ' '));
            }
            if (System.nanoTime() > end) {
                throw new Unavailable("containerd does not answer on this machine");
            }
            Thread.sleep(200);
        }
    }

    private boolean ctr(String... arguments) throws IOException, InterruptedException {
        try {
            runCtr(arguments);
            return true;
        } catch (Command.Failed e) {
            return false;
        }
    }

    private void runCtr(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                packages.resolve("usr/bin/ctr").toString(),
                "--address",
                files.containerdSocket().toString(),
                "--namespace",
                "k8s.io"));
        command.addAll(List.of(arguments));
        Path log = Files.createTempFile("plainsail-ctr", ".log");
        try {
            Command.run(new ChildProcess.Spec("ctr", command, Map.of("PATH", "/usr/bin:/bin"), Path.of("/"), log));
        } finally {
            Files.deleteIfExists(log);
        }
    }

    /** Gives the node an image, as {@code docker load} would. */
    public void load(Path archive) throws IOException, InterruptedException {
        runCtr("images", "import", "--no-unpack=false", archive.toString());
    }

    /** The pause image and busybox, as {@code docker.io/library/busybox:1}; without the first no pod starts. */
    public void loadBasics() throws IOException, InterruptedException {
        NodeImages images = new NodeImages(files.folder().resolve("images"));
        load(images.pause(packages));
        load(images.busybox(packages));
    }

    /** The kubelet's folder, where plugins put their sockets. */
    public Path kubeletFolder() {
        return files.folder().resolve("kubelet");
    }

    /** What the node's first process said, if it has ended by itself. */
    public Optional<String> death() {
        return node.isAlive() ? Optional.empty() : Optional.of(node.logTail(15));
    }

    public Path logs() {
        return files.folder().resolve("log");
    }

    @Override
    public void close() {
        node.kill();
        try {
            node.waitFor(CLEANING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        cleaner.stop(CLEANING);
    }
}
