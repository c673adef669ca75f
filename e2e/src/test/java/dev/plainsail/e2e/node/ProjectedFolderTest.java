package dev.plainsail.e2e.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProjectedFolderTest {

    @TempDir
    Path parent;

    @Test
    void filesAreSeenThroughOneLinkThatIsSwapped() throws IOException {
        Path folder = parent.resolve("volume");
        ProjectedFolder projected = new ProjectedFolder(folder);
        assertThat(projected.set(Map.of("a", content("1"), "deep/b", content("1"))))
                .isTrue();
        assertThat(folder.resolve("a")).hasContent("1").isSymbolicLink();
        assertThat(folder.resolve("deep/b")).hasContent("1");
        Path before = folder.resolve("..data").toRealPath();
        assertThat(projected.set(Map.of("deep/b", content("1"), "a", content("1"))))
                .as("the same again")
                .isFalse();
        assertThat(projected.set(Map.of("a", content("2"), "c", content("3")))).isTrue();
        assertThat(folder.resolve("..data").toRealPath()).isNotEqualTo(before);
        assertThat(before).doesNotExist();
        assertThat(folder.resolve("a")).hasContent("2");
        assertThat(names(folder)).containsExactly("..data", "..generation-2", "a", "c");
    }

    @Test
    void permissionsAreTheVolumes() throws IOException {
        Path folder = parent.resolve("volume");
        new ProjectedFolder(folder).set(Map.of("key", ProjectedFolder.Content.of(new byte[0], 0400)));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("key"))))
                .isEqualTo("r--------");
        assertThat(PosixFilePermissions.toString(ProjectedFolder.permissions(0751)))
                .isEqualTo("rwxr-x--x");
    }

    @Test
    void aPathThatLeavesTheVolumeIsRefused() {
        ProjectedFolder projected = new ProjectedFolder(parent.resolve("volume"));
        assertThatThrownBy(() -> projected.set(Map.of("../../out", content("x"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("leaves its volume");
        assertThat(parent.resolve("out")).doesNotExist();
    }

    private static ProjectedFolder.Content content(String text) {
        return ProjectedFolder.Content.of(text.getBytes(StandardCharsets.UTF_8), 0644);
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> String.valueOf(f.getFileName())).sorted().toList();
        }
    }
}
