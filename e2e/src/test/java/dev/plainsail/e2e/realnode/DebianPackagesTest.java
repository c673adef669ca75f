package dev.plainsail.e2e.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.e2e.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DebianPackagesTest {

    @TempDir
    private Path apt;

    @Test
    void mirrorIsTheOneThatTheMachineUses() throws IOException {
        Files.createDirectory(apt.resolve("sources.list.d"));
        Files.writeString(
                apt.resolve("sources.list.d/a.list"), "deb https://packages.example.com/apt cloud-sdk main\n");
        Files.writeString(
                apt.resolve("sources.list.d/debian.sources"),
                "Types: deb\n# a comment\nURIs: http://mirror.example.com/debian\nSuites: bookworm\n");
        assertThat(DebianPackages.mirror(apt)).isEqualTo("http://mirror.example.com/debian");
    }

    @Test
    void mirrorOfTheOldOneLineForm() throws IOException {
        Files.writeString(
                apt.resolve("sources.list"), "deb [arch=amd64] http://old.example.com/debian/ bookworm main\n");
        assertThat(DebianPackages.mirror(apt)).isEqualTo("http://old.example.com/debian");
    }

    @Test
    void withoutSourcesItSaysWhatToAdd() {
        assertThatThrownBy(() -> DebianPackages.mirror(apt))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("add a source that ends in /debian");
    }
}
