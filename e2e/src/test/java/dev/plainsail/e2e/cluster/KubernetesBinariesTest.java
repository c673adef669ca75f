package dev.plainsail.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways to get Kubernetes, with small scripts in the place of its programs. */
final class KubernetesBinariesTest {

    private static final KubernetesBinaries.Origins NOWHERE =
            new KubernetesBinaries.Origins("http://127.0.0.1:1", "http://127.0.0.1:1");
    private static final String PATH = "/usr/bin:/bin";

    @TempDir
    Path folder;

    @Test
    void withoutNetworkAndGoTheErrorSaysBothAndWhatToDo() {
        assertThatThrownBy(
                        () -> binaries(Map.of("PATH", "/nonexistent"), NOWHERE).folder())
                .isInstanceOf(UserError.class)
                .hasMessage(
                        "Kubernetes 1.36.3 cannot be downloaded (127.0.0.1 cannot be reached) and not built (there is no"
                                + " 'go' on the PATH): connect to the network, or install Go 1.26 or newer");
        assertThat(folder.resolve("cache/kubernetes-1.36.3")).doesNotExist();
    }

    @Test
    void aGoBuildThatFailsShowsItsEndAndLeavesNothing() throws IOException {
        Path tools = tool("go", "echo 'go: example.org/m@v1: dial tcp: lookup proxy: no such host'; exit 1");
        assertThatThrownBy(() ->
                        binaries(Map.of("PATH", tools + ":" + PATH), NOWHERE).folder())
                .isInstanceOf(UserError.class)
                .hasMessageContaining("run it again, it goes on where it stopped")
                .hasMessageContaining("no such host");
        assertThat(folder.resolve("cache/kubernetes-1.36.3")).doesNotExist();
    }

    @Test
    void goBuildsTheModuleWeShipWithItsOwnCaches() throws IOException {
        Path tools = tool("go", """
                for word; do [ "$last" = -o ] && target=$word; last=$word; done
                grep -q 'k8s.io/kubernetes v1.36.3' go.mod && [ -f go.sum ] && [ -f main.go ] || exit 4
                [ "$CGO_ENABLED" = 0 ] && [ -n "$GOCACHE" ] && [ -n "$GOMODCACHE" ] || exit 5
                mkdir -p $GOMODCACHE/read && echo x > $GOMODCACHE/read/only && chmod -R a-w $GOMODCACHE/read
                printf '#!/bin/sh\\necho built $(basename $0)\\n' > $target; chmod +x $target
                """);
        Path bin = binaries(Map.of("PATH", tools + ":" + PATH), NOWHERE).folder();
        assertThat(bin).isEqualTo(folder.resolve("cache/kubernetes-1.36.3/bin"));
        assertThat(bin.resolve("etcd")).isSymbolicLink().isExecutable();
        assertThat(folder.resolve("cache/.go-build")).doesNotExist();
    }

    @Test
    void anArchiveIsUnpackedAndLinked() throws Exception {
        Path archive = archive("#!/bin/sh\necho from the archive\n");
        KubernetesBinaries binaries =
                binaries(Map.of("PATH", PATH, "PLAINSAIL_TESTBED_ARCHIVE", archive.toString()), NOWHERE);
        assertThat(binaries.folder().resolve("kube-apiserver")).isSymbolicLink().isExecutable();
        assertThat(folder.resolve("cache/kubernetes-1.36.3/crds/a.yaml")).exists();
        assertThat(binaries(Map.of(), NOWHERE).folder())
                .as("found without any source")
                .isEqualTo(binaries.folder());
    }

    @Test
    void aMissingArchiveAndOneForAnotherMachineAreNamed() throws Exception {
        assertThatThrownBy(() -> binaries(Map.of("PLAINSAIL_TESTBED_ARCHIVE", "/no/such.tar.xz"), NOWHERE)
                        .folder())
                .isInstanceOf(UserError.class)
                .hasMessageContaining("/no/such.tar.xz, which cannot be read");
        Path foreign = archive("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0");
        assertThatThrownBy(
                        () -> binaries(Map.of("PATH", PATH, "PLAINSAIL_TESTBED_ARCHIVE", foreign.toString()), NOWHERE)
                                .folder())
                .isInstanceOf(UserError.class)
                .hasMessageContaining("etcd does not start on this machine")
                .hasMessageContaining("another architecture");
    }

    @Test
    void releasesAreFetchedWithTheirChecksums() throws Exception {
        Map<String, byte[]> files = release();
        Path bin = serve(files);
        assertThat(bin.resolve("kubectl"))
                .hasContent("#!/bin/sh\necho kubectl\n")
                .isExecutable();
        assertThat(bin.resolve("etcd")).isExecutable();
        assertThat(bin.resolve("etcd.tar.gz")).doesNotExist();
    }

    @Test
    void aReleaseWithAWrongChecksumIsNotTaken() throws Exception {
        Map<String, byte[]> files = release();
        files.put("/v1.36.3/bin/linux/amd64/kubectl", "evil".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> serve(files))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("/kubectl has checksum")
                .hasMessageContaining("no 'go' on the PATH");
    }

    @Test
    void otherMachinesAreToldWhatTheyCanDo() {
        assertThat(Platform.of("Linux", "aarch64").architecture()).isEqualTo("arm64");
        for (List<String> other : List.of(List.of("Mac OS X", "aarch64"), List.of("Linux", "riscv64"))) {
            assertThatThrownBy(() -> Platform.of(other.getFirst(), other.getLast()))
                    .isInstanceOf(UserError.class)
                    .hasMessageContaining("PLAINSAIL_CLUSTER=existing");
        }
    }

    private KubernetesBinaries binaries(Map<String, String> environment, KubernetesBinaries.Origins origins) {
        return new KubernetesBinaries(new Cache(folder.resolve("cache"), Progress.silent()), environment, origins);
    }

    private Path tool(String name, String script) throws IOException {
        Path tools = Files.createDirectories(folder.resolve("tools"));
        Path file = Files.writeString(tools.resolve(name), "#!/bin/sh\n" + script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return tools;
    }

    private Path archive(String kube) throws Exception {
        Path top = Files.createDirectories(folder.resolve("pack/testbed"));
        Files.createDirectories(top.resolve("bin"));
        Files.createDirectories(top.resolve("crds"));
        Files.writeString(top.resolve("crds/a.yaml"), "a: b\n");
        Path program = top.resolve("bin/kube");
        Files.writeString(program, kube, StandardCharsets.ISO_8859_1);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Path archive = folder.resolve("testbed.tar.gz");
        assertThat(new ProcessBuilder(
                                "tar",
                                "-czf",
                                archive.toString(),
                                "-C",
                                folder.resolve("pack").toString(),
                                "testbed")
                        .start()
                        .waitFor())
                .isZero();
        return archive;
    }

    private Map<String, byte[]> release() throws Exception {
        Map<String, byte[]> files = new HashMap<>();
        String architecture = Platform.current().architecture();
        for (String program : KubernetesBinaries.KUBERNETES) {
            byte[] script = ("#!/bin/sh\necho " + program + "\n").getBytes(StandardCharsets.UTF_8);
            String path = "/v1.36.3/bin/linux/" + architecture + "/" + program;
            files.put(path, script);
            files.put(path + ".sha256", sha256(script).getBytes(StandardCharsets.UTF_8));
        }
        String name = "etcd-v3.6.16-linux-" + architecture;
        Path etcd = Files.createDirectories(folder.resolve("etcd/" + name)).resolve("etcd");
        Files.writeString(etcd, "#!/bin/sh\necho etcd\n");
        Path archive = folder.resolve("etcd.tar.gz");
        new ProcessBuilder(
                        "tar",
                        "-czf",
                        archive.toString(),
                        "-C",
                        folder.resolve("etcd").toString(),
                        name)
                .start()
                .waitFor();
        byte[] packed = Files.readAllBytes(archive);
        files.put("/v3.6.16/" + name + ".tar.gz", packed);
        files.put(
                "/v3.6.16/SHA256SUMS",
                ("0".repeat(64) + "  other\n" + sha256(packed) + "  " + name + ".tar.gz\n")
                        .getBytes(StandardCharsets.UTF_8));
        return files;
    }

    private Path serve(Map<String, byte[]> files) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] body = files.get(exchange.getRequestURI().getPath());
            exchange.sendResponseHeaders(body == null ? 404 : 200, body == null ? -1 : body.length);
            if (body != null) {
                exchange.getResponseBody().write(body);
            }
            exchange.close();
        });
        server.start();
        try {
            String base = "http://127.0.0.1:" + server.getAddress().getPort();
            // a PATH with tar and gzip, but no go
            Path tools = Files.createDirectories(folder.resolve("few"));
            for (String program : List.of("tar", "gzip", "sh")) {
                Files.createSymbolicLink(tools.resolve(program), Path.of("/bin", program));
            }
            return binaries(Map.of("PATH", tools.toString()), new KubernetesBinaries.Origins(base, base))
                    .folder();
        } finally {
            server.stop(0);
        }
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
