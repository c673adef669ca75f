package dev.plainsail.e2e.realnode;

import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import dev.plainsail.e2e.process.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Images that others publish, made of programs that this machine has. Their archives lie in one folder. */
public final class NodeImages {

    private static final Pattern LOADED = Pattern.compile("(?:=> |^\\t)(/\\S+) \\(0x", Pattern.MULTILINE);
    private static final List<String> APPLETS =
            List.of("sh", "env", "cat", "sleep", "true", "dirname", "readlink", "ls", "wget", "id", "httpd", "echo");

    private final Path folder;

    public NodeImages(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    Path pause(Path packages) throws IOException, InterruptedException {
        Path root = root("pause");
        copy(busyboxProgram(packages), root.resolve("busybox"));
        return archive(root, NodeFiles.PAUSE, List.of("/busybox", "sleep", "2147483647"), Map.of());
    }

    Path busybox(Path packages) throws IOException, InterruptedException {
        Path root = root("busybox");
        addBusybox(packages, root);
        return archive(root, "docker.io/library/busybox:1", List.of(), Map.of("PATH", "/bin"));
    }

    /** An image with one program that needs no others: {@code /NAME} is its entry point. */
    public Path ofProgram(String image, Path program) throws IOException, InterruptedException {
        String name = String.valueOf(program.getFileName());
        Path root = root(name);
        copy(program, root.resolve(name));
        return archive(root, image, List.of("/" + name), Map.of());
    }

    /** The same for a program that loads libraries of this machine: they go along, at their places. */
    public Path ofDynamicProgram(String image, Path program) throws IOException, InterruptedException {
        String name = String.valueOf(program.getFileName());
        Path root = root(name);
        copy(program, root.resolve("usr/local/bin").resolve(name));
        addLibraries(program, root);
        return archive(root, image, List.of("/usr/local/bin/" + name), Map.of("PATH", "/usr/local/bin"));
    }

    /**
     * An image with folders of this machine at other places.
     *
     * @param trees from the place in the image to the folder here
     */
    public Path ofTrees(String image, Map<String, Path> trees, Path packages, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path root = root(image.replaceAll("[^a-z0-9]+", "-"));
        addBusybox(packages, root);
        for (Map.Entry<String, Path> tree : trees.entrySet()) {
            Path target = Files.createDirectories(root.resolve(tree.getKey().substring(1)));
            run("cp", "cp", "-aL", tree.getValue() + "/.", target.toString());
        }
        return archive(root, image, List.of(), environment);
    }

    private Path root(String name) throws IOException {
        Path root = folder.resolve(name);
        Trees.delete(root);
        Path made = Files.createDirectories(root);
        Files.createDirectories(made.resolve("tmp"));
        made.resolve("tmp").toFile().setWritable(true, false);
        return made;
    }

    private Path archive(Path root, String image, List<String> entrypoint, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path archive = folder.resolve(root.getFileName() + ".tar");
        ImageArchive.write(archive, root, new ImageArchive.Description(image, entrypoint, environment));
        Trees.delete(root);
        return archive;
    }

    private static void addBusybox(Path packages, Path root) throws IOException {
        copy(busyboxProgram(packages), root.resolve("bin/busybox"));
        for (String applet : APPLETS) {
            Files.createSymbolicLink(root.resolve("bin").resolve(applet), Path.of("busybox"));
        }
    }

    private static Path busyboxProgram(Path packages) {
        return Stream.of(packages.resolve("usr/bin/busybox"), Path.of("/usr/bin/busybox"), Path.of("/bin/busybox"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the packages hold no busybox"));
    }

    private void addLibraries(Path program, Path root) throws IOException, InterruptedException {
        Path log = Files.createTempFile(folder, "ldd", ".txt");
        Command.run(new ChildProcess.Spec(
                "ldd", List.of("ldd", program.toString()), Map.of("PATH", "/usr/bin:/bin"), Path.of("/"), log));
        Matcher matcher = LOADED.matcher(Files.readString(log));
        List<Path> libraries = new ArrayList<>();
        while (matcher.find()) {
            libraries.add(Path.of(matcher.group(1)));
        }
        Files.delete(log);
        for (Path library : libraries) {
            copy(library, root.resolve(library.toString().substring(1)));
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Path parent = to.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.copy(from.toRealPath(), to, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void run(String name, String... command) throws IOException, InterruptedException {
        Path log = Files.createTempFile("plainsail-" + name, ".log");
        Command.run(new ChildProcess.Spec(name, List.of(command), Map.of("PATH", "/usr/bin:/bin"), Path.of("/"), log));
        Files.delete(log);
    }
}
