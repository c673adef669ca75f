package dev.plainsail.e2e.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.process.ChildProcess;
import dev.plainsail.e2e.process.Command;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class ImageArchiveTest {

    private static final ImageArchive.Description DESCRIPTION =
            new ImageArchive.Description("example.com/a:1", List.of("/a", "b"), Map.of("PATH", "/bin", "HOME", "/"));

    @TempDir
    private Path folder;

    @Test
    void configurationNamesTheLayerThatIsInside() throws Exception {
        Path archive = folder.resolve("image.tar");
        ImageArchive.write(archive, root("root"), DESCRIPTION);
        Path out = Files.createDirectory(folder.resolve("out"));
        untar(archive, out);
        JsonNode manifest = JsonMapper.shared()
                .readTree(Files.readString(out.resolve("manifest.json")))
                .get(0);
        assertThat(manifest.get("RepoTags").get(0).asString()).isEqualTo("example.com/a:1");
        Path layer = out.resolve(manifest.get("Layers").get(0).asString());
        JsonNode config = JsonMapper.shared()
                .readTree(Files.readString(out.resolve(manifest.get("Config").asString())));
        assertThat(config.at("/rootfs/diff_ids/0").asString())
                .isEqualTo("sha256:"
                        + HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(layer))));
        assertThat(config.at("/config/Entrypoint").toString()).isEqualTo("[\"/a\",\"b\"]");
        assertThat(config.at("/config/Env").toString()).isEqualTo("[\"HOME=/\",\"PATH=/bin\"]");
        Path files = Files.createDirectory(folder.resolve("files"));
        untar(layer, files);
        assertThat(files.resolve("a")).hasContent("a program").isExecutable();
        assertThat(Files.readSymbolicLink(files.resolve("link"))).isEqualTo(Path.of("a"));
    }

    @Test
    void sameFilesGiveTheSameBytes() throws Exception {
        ImageArchive.write(folder.resolve("1.tar"), root("1"), DESCRIPTION);
        ImageArchive.write(folder.resolve("2.tar"), root("2"), DESCRIPTION);
        assertThat(folder.resolve("1.tar")).hasSameBinaryContentAs(folder.resolve("2.tar"));
    }

    private Path root(String name) throws Exception {
        Path root = Files.createDirectory(folder.resolve("root-" + name));
        Path program = Files.writeString(root.resolve("a"), "a program");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Files.createSymbolicLink(root.resolve("link"), Path.of("a"));
        return root;
    }

    private void untar(Path archive, Path into) throws Exception {
        Command.run(new ChildProcess.Spec(
                "tar",
                List.of("tar", "-xf", archive.toString()),
                Map.of("PATH", "/usr/bin:/bin"),
                into,
                folder.resolve("tar.log")));
    }
}
