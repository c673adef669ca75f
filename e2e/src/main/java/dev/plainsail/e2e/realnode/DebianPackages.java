package dev.plainsail.e2e.realnode;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import dev.plainsail.e2e.process.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The distribution's programs that a node needs and this machine lacks, unpacked in the cache as one tree {@code usr}, never
 * installed: apt works on lists and a cache of its own. containerd must be 2.0 or newer, for the kubelet; where the
 * machine's own release has an older one, Debian's unstable release gives it.
 */
final class DebianPackages {

    private static final Cache.Entry ENTRY =
            new Cache.Entry("node-packages-1", "containerd, runc and network plugins", 600_000_000L);
    private static final List<String> OF_THIS_RELEASE = List.of(
            "runc",
            "containernetworking-plugins",
            "iptables",
            "conntrack",
            "iproute2",
            "busybox-static",
            "libseccomp2");
    private static final List<String> NFT = List.of(
            "iptables", "iptables-save", "iptables-restore", "ip6tables", "ip6tables-save", "ip6tables-restore");
    private static final String KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

    private final Cache cache;
    private final Map<String, String> environment;

    DebianPackages(Cache cache, Map<String, String> environment) {
        this.cache = cache;
        this.environment = Map.copyOf(environment);
    }

    /** The folder that holds {@code usr}. */
    Path folder() throws Unavailable {
        if (!cache.has(ENTRY) && (Command.find("apt-get", environment).isEmpty() || !Files.exists(Path.of(KEYRING)))) {
            throw new Unavailable(
                    "containerd and its companions are unpacked from Debian's packages, and this is no Debian");
        }
        try {
            return cache.get(ENTRY, this::fill);
        } catch (UserError e) {
            throw new Unavailable("the node's packages cannot be had", e);
        }
    }

    private void fill(Path empty, Progress.Step step) throws IOException, InterruptedException {
        Path work = Files.createDirectory(empty.resolve("work"));
        step.note("packages of this release");
        Path own = state(work, "own");
        apt(own, List.of(), "update");
        List<String> install =
                new ArrayList<>(List.of("install", "--download-only", "--yes", "--no-install-recommends"));
        install.addAll(OF_THIS_RELEASE);
        apt(own, List.of(), install.toArray(String[]::new));
        step.note("containerd of Debian's unstable release");
        Path unstable = state(work, "unstable");
        Path sources = Files.writeString(
                unstable.resolve("sources.list"),
                "deb [signed-by=" + KEYRING + "] " + mirror(Path.of("/etc/apt")) + " sid main\n");
        List<String> only = List.of("Dir::Etc::sourcelist=" + sources, "Dir::Etc::sourceparts=-");
        apt(unstable, only, "update");
        apt(unstable, only, "download", "containerd");
        step.note("unpacking");
        for (Path archives : List.of(own.resolve("cache/archives"), unstable)) {
            for (Path deb : debs(archives)) {
                run("dpkg", empty, "dpkg", "-x", deb.toString(), empty.toString());
            }
        }
        mergeIntoUsr(empty);
        linkIptables(empty.resolve("usr/sbin"));
        Trees.delete(work);
        run("containerd", empty, empty.resolve("usr/bin/containerd").toString(), "--version");
    }

    /** The archive that this machine's apt uses. */
    static String mirror(Path etcApt) throws IOException {
        Pattern uri = Pattern.compile("(?m)^(?:URIs:|deb\\s+(?:\\[[^]]*]\\s*)?)\\s*(https?://\\S+/debian)/?(?:\\s|$)");
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(etcApt.resolve("sources.list.d"))) {
            try (Stream<Path> listed = Files.list(etcApt.resolve("sources.list.d"))) {
                files.addAll(listed.sorted().toList());
            }
        }
        files.add(etcApt.resolve("sources.list"));
        for (Path file : files) {
            if (Files.isReadable(file)) {
                Matcher matcher = uri.matcher(Files.readString(file));
                if (matcher.find()) {
                    return matcher.group(1);
                }
            }
        }
        throw new UserError("no Debian archive is named in " + etcApt + ": add a source that ends in /debian");
    }

    private static Path state(Path work, String name) throws IOException {
        Path state = Files.createDirectory(work.resolve(name));
        Files.createDirectories(state.resolve("lists/partial"));
        Files.createDirectories(state.resolve("cache/archives/partial"));
        return state;
    }

    private void apt(Path state, List<String> settings, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("apt-get", "-qq"));
        List<String> all = new ArrayList<>(List.of(
                "Dir::State::lists=" + state.resolve("lists"),
                "Dir::Cache=" + state.resolve("cache"),
                "APT::Sandbox::User=root",
                "Debug::NoLocking=true",
                "Acquire::Retries=3"));
        all.addAll(settings);
        all.forEach(setting -> command.addAll(List.of("-o", setting)));
        command.addAll(List.of(arguments));
        run("apt-get", state, command.toArray(String[]::new));
    }

    private void run(String name, Path folder, String... command) throws IOException, InterruptedException {
        Path log = Files.createTempFile("plainsail-" + name, ".log");
        Command.run(new ChildProcess.Spec(name, List.of(command), environment, folder, log));
        Files.delete(log);
    }

    private static List<Path> debs(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".deb"))
                    .sorted()
                    .toList();
        }
    }

    /** Packages from before the merge have files in {@code /bin}, {@code /sbin} and {@code /lib}. */
    private void mergeIntoUsr(Path tree) throws IOException, InterruptedException {
        for (String name : List.of("bin", "sbin", "lib")) {
            Path old = tree.resolve(name);
            if (Files.isDirectory(old)) {
                Path target = Files.createDirectories(tree.resolve("usr").resolve(name));
                run("cp", tree, "cp", "-a", old + "/.", target.toString());
                Trees.delete(old);
            }
        }
    }

    /** The name is a choice that the package's installation makes. */
    private static void linkIptables(Path sbin) throws IOException {
        if (Files.exists(sbin.resolve("xtables-nft-multi"))) {
            for (String name : NFT) {
                Files.deleteIfExists(sbin.resolve(name));
                Files.createSymbolicLink(sbin.resolve(name), Path.of("xtables-nft-multi"));
            }
        }
    }
}
