package dev.plainsail.epp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FlagsTest {
    private static Flags.Result read(Map<String, String> environment, String... arguments) {
        return Flags.read(arguments, environment, 2, 1000 << 20);
    }

    private static Settings valid(String... arguments) {
        return switch (read(Map.of(), arguments)) {
            case Flags.Result.Valid(Settings settings) -> settings;
            case Flags.Result.Invalid(List<String> problems) -> fail(problems.toString());
            case Flags.Result.Text(String text) -> fail(text);
        };
    }

    private static List<String> problems(String... arguments) {
        return read(Map.of(), arguments) instanceof Flags.Result.Invalid invalid ? invalid.problems() : List.of();
    }

    @Test
    void llmdsCommandLineOfItsChartWorksUnchanged() {
        Settings settings = valid(
                "--pool-name",
                "chat",
                "--pool-namespace",
                "models",
                "--zap-encoder",
                "json",
                "--tracing=false",
                "--metrics-endpoint-auth=false",
                "--config-text",
                "x",
                "--grpc-port",
                "9002",
                "-v",
                "2",
                "--secure-serving=false");
        assertThat(settings.namespace()).isEqualTo("models");
        assertThat(settings.secureServing()).isFalse();
        assertThat(settings.kubernetes()).isTrue();
        assertThat(settings.withoutEffect())
                .containsExactly("--zap-encoder", "--tracing=false", "--metrics-endpoint-auth=false");
    }

    @Test
    void defaultsAreThoseOfTheReadme() {
        Settings settings = valid();
        assertThat(settings.grpcPort()).isEqualTo(9002);
        assertThat(settings.healthPort()).isEqualTo(9003);
        assertThat(settings.metricsPort()).isEqualTo(9090);
        assertThat(settings.secureServing()).isTrue();
        assertThat(settings.maxBodyBytes()).isEqualTo(32 << 20);
        assertThat(settings.maxHeldBytes()).isEqualTo(400 << 20);
        assertThat(settings.decisionTimeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(settings.eventLoops()).isEqualTo(2);
        assertThat(settings.bindHost()).isNull();
    }

    @Test
    void theEnvironmentNamesTheAddressAndTheNamespace() {
        Flags.Result read = read(Map.of("POD_IP", "10.1.2.3", "NAMESPACE", "here"), "--endpoints-file=x.yaml");
        assertThat(read).isInstanceOfSatisfying(Flags.Result.Valid.class, valid -> {
            assertThat(valid.settings().bindHost()).isEqualTo("10.1.2.3");
            assertThat(valid.settings().namespace()).isEqualTo("here");
            assertThat(valid.settings().kubernetes()).isFalse();
        });
    }

    @Test
    void allMistakesAreToldAtOnceWithWhatToWrite() {
        assertThat(problems(
                        "--grpc-port=none",
                        "--decision-timeout=5",
                        "--max-request-body=lots",
                        "--secure-serving=maybe",
                        "--no-such-flag=1",
                        "--pool=selector=a=b",
                        "--config-file=/no/such/file"))
                .hasSize(7)
                .anySatisfy(problem -> assertThat(problem).contains("--grpc-port", "'none'", "0 to 65535"))
                .anySatisfy(problem -> assertThat(problem).contains("--decision-timeout", "write 500ms, 30s, 5m"))
                .anySatisfy(problem -> assertThat(problem).contains("--max-request-body", "write 512KiB"))
                .anySatisfy(problem -> assertThat(problem).contains("--secure-serving", "neither true nor false"))
                .anySatisfy(problem -> assertThat(problem).contains("--no-such-flag", "--help"))
                .anySatisfy(problem -> assertThat(problem).contains("--pool", "name=NAME"))
                .anySatisfy(problem -> assertThat(problem).contains("--config-file", "/no/such/file"));
    }

    @Test
    void sizesAndDurationsAreReadInTheUsualUnits() {
        assertThat(valid("--max-request-body=10MiB").maxBodyBytes()).isEqualTo(10 << 20);
        assertThat(valid("--max-request-body=1GB").maxBodyBytes()).isEqualTo(1_000_000_000);
        assertThat(valid("--drain-timeout=500ms").drainTimeout()).isEqualTo(Duration.ofMillis(500));
        assertThat(valid("--drain-timeout=1.5m").drainTimeout()).isEqualTo(Duration.ofSeconds(90));
    }

    @Test
    void everyFlagIsAKeyOfTheSettingsFileAndTheCommandLineCountsMore(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("settings.yaml"), """
                grpc-port: 7001
                metrics-port: 7002
                explain: true
                decision-log: 0.5
                zap-encoder: json
                pool:
                - name=a,selector=app=a
                - name=b,selector=app=b
                """);
        Settings settings = valid("--config=" + file, "--metrics-port", "7003");
        assertThat(settings.grpcPort()).isEqualTo(7001);
        assertThat(settings.metricsPort()).isEqualTo(7003);
        assertThat(settings.explain()).isTrue();
        assertThat(settings.decisionLogShare()).isEqualTo(0.5);
        assertThat(settings.pools()).hasSize(2);
        assertThat(settings.withoutEffect()).containsExactly("--zap-encoder=json");
        assertThat(valid("--config", file.toString(), "--pool=name=c,selector=app=c")
                        .pools())
                .hasSize(1);
    }

    @Test
    void allMistakesOfTheSettingsFileAreToldTogetherWithThoseOfTheCommandLine(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("settings.yaml"), "grpc-prot: 1\nexplain: perhaps\ndecision-log: 2\nwarm-up:\n  a: 1\n");
        assertThat(problems("--config=" + file, "--grpc-port=none", "--engine-token-file=/no/such/file"))
                .hasSize(6)
                .anySatisfy(problem -> assertThat(problem).contains("grpc-prot", "did you mean grpc-port?"))
                .anySatisfy(problem -> assertThat(problem).contains("--explain", "'perhaps'"))
                .anySatisfy(problem -> assertThat(problem).contains("--decision-log", "0 to 1"))
                .anySatisfy(problem -> assertThat(problem).contains("warm-up", "write a value"))
                .anySatisfy(problem -> assertThat(problem).contains("--grpc-port", "'none'"))
                .anySatisfy(problem -> assertThat(problem).contains("--engine-token-file", "/no/such/file"));
        assertThat(problems("--config=/no/such/file")).hasSize(1);
        assertThat(problems("--config=" + Files.writeString(folder.resolve("x"), "a: [")))
                .singleElement()
                .satisfies(problem -> assertThat(problem).contains("no YAML"));
        assertThat(problems("--config=" + Files.writeString(folder.resolve("y"), "seed: 1\nseed: 2\n")))
                .isNotEmpty();
    }
}
