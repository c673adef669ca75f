package dev.plainsail.e2e.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is done to words and texts because a process is not a container, and that nothing else is. */
final class WordsAndTextTest {

    private static final String IP = "127.9.129.1";

    private final MountPaths mounts = new MountPaths(Map.of(
            "/etc/app/",
            Path.of("/v/app"),
            "/etc/app/deep",
            Path.of("/v/deep"),
            "/data",
            Path.of("/v/data"),
            "/",
            Path.of("/v/root")));

    @Test
    void mountPathsAreReplacedWholeOrAsABeginning() {
        assertThat(mounts.replace("/etc/app")).isEqualTo("/v/app");
        assertThat(mounts.replace("--config=/etc/app/a.yaml")).isEqualTo("--config=/v/app/a.yaml");
        assertThat(mounts.replace("/etc/app/deep/x:/data,/data/y")).isEqualTo("/v/deep/x:/v/data,/v/data/y");
        assertThat(mounts.replace("file:///data/x")).isEqualTo("file:///data/x");
        assertThat(mounts.replace("cat '/data/x' \"/data\"")).isEqualTo("cat '/v/data/x' \"/v/data\"");
    }

    @Test
    void longerNamesAndOtherPathsAreLeftAlone() {
        for (String other :
                List.of("/etc/application", "/etc/app.d", "/database", "/my/data", "x/data", "~/data", "/", "data")) {
            assertThat(mounts.replace(other)).isEqualTo(other);
        }
        assertThat(MountPaths.NONE.replace("/etc/app")).isEqualTo("/etc/app");
    }

    @Test
    void enginesListenOnTheirPodsAddress() {
        assertThat(host("vllm", "serve", "m")).containsExactly("vllm", "serve", "m", "--host", IP);
        assertThat(host("/opt/bin/vllm", "serve", "m", "--host", "0.0.0.0", "--port", "1"))
                .containsExactly("/opt/bin/vllm", "serve", "m", "--host", IP, "--port", "1");
        assertThat(host("python3", "-m", "vllm.entrypoints.openai.api_server", "--host=0.0.0.0"))
                .containsExactly("python3", "-m", "vllm.entrypoints.openai.api_server", "--host=" + IP);
        assertThat(host("python3.12", "-m", "sglang.launch_server", "--host", "127.0.0.1"))
                .as("an address that the user chose stays")
                .endsWith("--host", "127.0.0.1");
        assertThat(host("sh", "-c", "cd /x && exec vllm serve m --port 8000"))
                .containsExactly("sh", "-c", "cd /x && exec vllm serve --host " + IP + " m --port 8000");
        assertThat(host("bash", "-ec", "python -m vllm.entrypoints.openai.api_server"))
                .as("only -c by itself is understood")
                .containsExactly("bash", "-ec", "python -m vllm.entrypoints.openai.api_server");
    }

    @Test
    void otherProgramsAreLeftAlone() {
        for (List<String> other : List.of(
                List.of("vllm", "bench", "x"),
                List.of("python3", "-m", "http.server"),
                List.of("sh", "-c", "echo myvllm serve"),
                List.of("sh", "-c"),
                List.of("sleep", "1"),
                List.<String>of())) {
            assertThat(EngineHost.listenOn(IP, other)).isEqualTo(other);
        }
    }

    private static List<String> host(String... words) {
        return EngineHost.listenOn(IP, List.of(words));
    }

    @Test
    void configMapTextNamesTheOwnAddressAndServices() {
        ServiceNames services = new ServiceNames() {
            @Override
            public Optional<String> address(String namespace, String service) {
                return namespace.equals("ns") && service.equals("web") ? Optional.of("127.9.0.7") : Optional.empty();
            }

            @Override
            public Map<String, String> variables(String namespace, boolean links) {
                return Map.of();
            }
        };
        ConfigMapText text = new ConfigMapText(IP, services, mounts);
        assertThat(text.apply("0.0.0.0:80 10.0.0.0.0 0.0.0.0.1 \"0.0.0.0\""))
                .isEqualTo(IP + ":80 10.0.0.0.0 0.0.0.0.1 \"" + IP + "\"");
        assertThat(text.apply("http://web.ns.svc:80/ web.ns.svc.cluster.local, see web.ns.svc."))
                .isEqualTo("http://127.9.0.7:80/ 127.9.0.7, see 127.9.0.7.");
        for (String other : List.of(
                "api.ns.svc", "web.other.svc", "x.web.ns.svc", "web.ns.svc.example.com", "web.ns.svcs", "web.ns")) {
            assertThat(text.apply(other)).isEqualTo(other);
        }
        assertThat(text.apply("cert: /data/tls.crt")).isEqualTo("cert: /v/data/tls.crt");
    }

    @Test
    void imagesAreFoundByPatternTheFirstFirst() {
        Image any = Image.of("example.org/*", Path.of("/any"));
        Image exact = Image.of("example.org/a.b:1", Path.of("/exact"));
        assertThat(Image.find(List.of(exact, any), "example.org/a.b:1")).contains(exact);
        assertThat(Image.find(List.of(exact, any), "example.org/aXb:1"))
                .as("a dot is a dot")
                .contains(any);
        assertThat(Image.find(List.of(exact, any), "other.org/a")).isEmpty();
    }

    @Test
    void backOffBeginsAtOnceThenDoublesUpToItsLimit() {
        BackOff backOff = new BackOff(Duration.ofSeconds(1), Duration.ofSeconds(30));
        assertThat(List.of(backOff.after(0), backOff.after(1), backOff.after(2), backOff.after(6), backOff.after(1000)))
                .extracting(Duration::toSeconds)
                .containsExactly(0L, 1L, 2L, 30L, 30L);
    }
}
