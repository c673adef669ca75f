package dev.plainsail.e2e.realnode;

import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import dev.plainsail.e2e.process.Trees;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A container image of one layer, made of a folder, in the form that {@code docker save} writes and containerd imports. Files
 * belong to root and have no time, so the same folder gives the same image.
 */
public final class ImageArchive {

    private static final JsonMapper JSON = JsonMapper.shared();

    private ImageArchive() {}

    /**
     * What an image says beside its files.
     *
     * @param name with its tag
     */
    public record Description(String name, List<String> entrypoint, Map<String, String> environment) {
        public Description {
            entrypoint = List.copyOf(entrypoint);
            environment = Map.copyOf(environment);
        }
    }

    /** Writes the archive; the folder itself becomes the image's root. */
    public static void write(Path archive, Path root, Description description)
            throws IOException, InterruptedException {
        Path work = Files.createTempDirectory(parent(archive), "image-");
        try {
            Path layer = work.resolve("layer.tar");
            tar(layer, root, ".");
            Files.writeString(work.resolve("config.json"), config(description, sha256(layer)));
            ObjectNode manifest = JSON.createObjectNode();
            manifest.put("Config", "config.json");
            manifest.putArray("RepoTags").add(description.name());
            manifest.putArray("Layers").add("layer.tar");
            Files.writeString(work.resolve("manifest.json"), "[" + manifest + "]");
            tar(archive, work, "manifest.json", "config.json", "layer.tar");
        } finally {
            Trees.delete(work);
        }
    }

    private static Path parent(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException("no folder: " + file);
        }
        return parent;
    }

    private static String config(Description description, String layer) {
        ObjectNode root = JSON.createObjectNode();
        root.put("architecture", System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64");
        root.put("os", "linux");
        root.put("created", "1970-01-01T00:00:00Z");
        ObjectNode config = root.putObject("config");
        description.environment().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> config.withArray("Env").add(entry.getKey() + "=" + entry.getValue()));
        description.entrypoint().forEach(word -> config.withArray("Entrypoint").add(word));
        config.put("WorkingDir", "/");
        ObjectNode files = root.putObject("rootfs");
        files.put("type", "layers");
        files.putArray("diff_ids").add("sha256:" + layer);
        return root.toString();
    }

    private static void tar(Path archive, Path folder, String... names) throws IOException, InterruptedException {
        Path log = Files.createTempFile("plainsail-tar", ".log");
        List<String> command = new ArrayList<>(List.of(
                "tar",
                "--create",
                "--file=" + archive.toAbsolutePath(),
                "--sort=name",
                "--owner=0",
                "--group=0",
                "--numeric-owner",
                "--mtime=@0"));
        command.addAll(List.of(names));
        Command.run(new ChildProcess.Spec("tar", command, Map.of("PATH", "/usr/bin:/bin"), folder, log));
        Files.delete(log);
    }

    private static String sha256(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[1 << 16];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
