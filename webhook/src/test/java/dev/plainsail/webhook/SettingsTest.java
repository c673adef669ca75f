package dev.plainsail.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    @TempDir
    Path folder;

    private Settings.Read read(String yaml, Map<String, String> flags, Map<String, String> environment) {
        try {
            return SettingsFile.read(
                    Optional.of(Files.writeString(folder.resolve("webhook.yaml"), yaml)), flags, environment);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private Settings accepted(String yaml, Map<String, String> flags, Map<String, String> environment) {
        return ((Settings.Read.Accepted) read(yaml, flags, environment)).settings();
    }

    private List<String> refused(String yaml, Map<String, String> flags) {
        return ((Settings.Read.Refused) read(yaml, flags, Map.of()))
                .problems().stream().map(SettingsProblem::line).toList();
    }

    @Test
    void emptyFileMeansTheDefaults() {
        Settings settings = accepted("{}", Map.of(), Map.of());
        assertThat(settings).isEqualTo(accepted("# nothing\n", Map.of(), Map.of()));
        assertThat(settings.address().getHostAddress()).isEqualTo("127.0.0.1");
        assertThat(settings.port()).isEqualTo(8443);
        assertThat(settings.certificates())
                .isInstanceOfSatisfying(
                        Settings.Certificates.Own.class,
                        own -> assertThat(own.policy().names())
                                .containsExactly(
                                        "plainsail-webhook.plainsail-system.svc",
                                        "plainsail-webhook.plainsail-system.svc.cluster.local"));
    }

    @Test
    void podTellsItsAddressAndNamespace() {
        Settings settings = accepted("{}", Map.of(), Map.of("POD_IP", "127.7.0.3", "POD_NAMESPACE", "ai"));
        assertThat(settings.address().getHostAddress()).isEqualTo("127.7.0.3");
        assertThat(settings.namespace()).isEqualTo("ai");
    }

    @Test
    void flagsWinOverTheFileAndTheFileOverTheEnvironment() {
        Settings settings = accepted(
                "port: 1\nhealth-port: 2\nbind-address: 127.0.0.9",
                Map.of("port", "3", "drain", "250ms"),
                Map.of("POD_IP", "127.7.0.3"));
        assertThat(settings.port()).isEqualTo(3);
        assertThat(settings.healthPort()).isEqualTo(2);
        assertThat(settings.address().getHostAddress()).isEqualTo("127.0.0.9");
        assertThat(settings.drain()).isEqualTo(Duration.ofMillis(250));
    }

    @Test
    void everythingWrongIsSaidAtOnce() {
        assertThat(refused("""
                        prot: 8443
                        bind-address: localhost
                        health-port: 99999
                        drain: 5 seconds
                        templates: "yes"
                        service: Not_A_Name
                        key-file: /a
                        authority-overlap: 20d
                        zzzzzzzzzzzz: 1
                        """, Map.of("metrics-port", "x")))
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line).isEqualTo("prot: is not a setting; did you mean \"port\"?"),
                        line -> assertThat(line).isEqualTo("bind-address: \"localhost\": is not an IP address"),
                        line -> assertThat(line).startsWith("health-port: \"99999\": is not a port"),
                        line -> assertThat(line).startsWith("drain: \"5 seconds\": is not a duration; write a number"),
                        line -> assertThat(line).isEqualTo("templates: \"yes\": is neither true nor false"),
                        line -> assertThat(line).startsWith("service: \"Not_A_Name\": is not a name"),
                        line -> assertThat(line).isEqualTo("certificate-file: is missing; a pair is two files"),
                        line -> assertThat(line).startsWith("authority-overlap: wanted: 3 x overlap"),
                        line -> assertThat(line).startsWith("zzzzzzzzzzzz: is not a setting; known are "),
                        line -> assertThat(line).startsWith("metrics-port: \"x\": is not a port"));
    }

    @Test
    void filesThatAreNoSettingsAreRefusedInOneLine() {
        assertThat(refused("- a\n", Map.of())).singleElement().asString().contains("KEY: VALUE");
        assertThat(refused("a: [", Map.of()))
                .singleElement()
                .asString()
                .contains("is not YAML")
                .doesNotContain("\n");
        assertThat(refused("port: 1\nport: 2\n", Map.of()))
                .singleElement()
                .asString()
                .contains("port");
        assertThat(((Settings.Read.Refused) SettingsFile.read(Optional.of(folder.resolve("none")), Map.of(), Map.of()))
                        .problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem.line()).contains("no such file"));
        assertThat(refused("port: [1]", Map.of())).containsExactly("port: is not a single value");
    }

    @Test
    void pairOfFilesReplacesTheAuthority() {
        Settings settings = accepted("certificate-file: /c\nkey-file: /k", Map.of(), Map.of());
        assertThat(settings.certificates())
                .isInstanceOfSatisfying(
                        Settings.Certificates.Files.class,
                        files -> assertThat(files.files().paths()).containsExactly(Path.of("/c"), Path.of("/k")));
    }

    @Test
    void unknownKeyIsAnsweredWithAllThatThereAre() {
        assertThat(refused("zzzzzzzzzzzz: 1", Map.of()))
                .singleElement()
                .asString()
                .isEqualTo("""
                        zzzzzzzzzzzz: is not a setting; known are bind-address, port, health-port, metrics-port, configuration, \
                        certificate-file, key-file, namespace, lease, service, authority-secret, authority-life, certificate-life, \
                        authority-overlap, templates, unused-template-life, drain, injection""");
    }

    @Test
    void everyKeyIsReadAndItsDefaultIsAValueThatItTakes() {
        for (SettingsKey key : SettingsKey.values()) {
            assertThat(refused(key.key() + ": [[]]", Map.of()))
                    .as(key.key())
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line).containsAnyOf(key.key(), "is missing; a pair is two files"));
            if (!key.fallback().isEmpty()) {
                assertThat(accepted(key.key() + ": " + key.fallback(), Map.of(), Map.of()))
                        .as(key.key())
                        .isEqualTo(accepted("{}", Map.of(), Map.of()));
            }
        }
    }

    @Test
    void wrongEnvironmentIsRefusedAsWellAsAWrongFile() {
        assertThat(((Settings.Read.Refused) read("{}", Map.of(), Map.of("POD_IP", "pod", "POD_NAMESPACE", "A B")))
                        .problems().stream().map(SettingsProblem::line))
                .containsExactlyInAnyOrder(
                        "bind-address: \"pod\": is not an IP address",
                        "namespace: \"A B\": is not a name of a Kubernetes object (lower case letters, digits, \"-\", \".\")");
    }

    @Test
    void helpSaysEveryKeyWithItsDefault() {
        String help = Main.help().replaceAll("\\s+", " ");
        for (SettingsKey key : SettingsKey.values()) {
            assertThat(help).contains("--" + key.key() + "=VALUE").contains(key.shownDefault());
        }
    }
}
