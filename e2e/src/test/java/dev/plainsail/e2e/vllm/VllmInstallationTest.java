package dev.plainsail.e2e.vllm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.e2e.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done, and said, when vLLM is there and when it is not; the real one is in VllmIT. */
final class VllmInstallationTest {
    @TempDir
    Path folder;

    private Map<String, String> environment(String asked) {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("PLAINSAIL_CACHE", folder.toString());
        environment.put("PLAINSAIL_VLLM", asked);
        return environment;
    }

    private Path script(String text) throws IOException {
        Path script = folder.resolve("script");
        Files.writeString(script, "#!/bin/sh\n" + text + "\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        return script;
    }

    private record Ran(int exitCode, String output) {}

    private Ran run(Map<String, String> environment, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(List.of(command)).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Ran(process.exitValue(), output);
    }

    @Test
    void itIsThereOnlyWhenItIsComplete() throws Exception {
        Path place = Files.createDirectories(folder.resolve("vllm-" + VllmInstallation.VERSION));
        assertThat(VllmInstallation.find(environment(""))).isEmpty();
        Files.writeString(place.resolve("complete"), "now");
        assertThat(VllmInstallation.find(environment("")).orElseThrow().folder())
                .isEqualTo(place);
        assertThat(VllmInstallation.wanted(environment(""), folder.resolve("none")))
                .isPresent();
        assertThat(VllmInstallation.wanted(environment("off"), folder.resolve("none")))
                .isEmpty();
    }

    @Test
    void nothingIsInstalledUnasked() {
        assertThat(VllmInstallation.wanted(environment(""), folder.resolve("none")))
                .isEmpty();
    }

    @Test
    void askedForItIsInstalledByTheScript() throws Exception {
        Path script = script("mkdir -p \"$PLAINSAIL_CACHE/vllm-" + VllmInstallation.VERSION
                + "\" && echo $1 > \"$PLAINSAIL_CACHE/vllm-" + VllmInstallation.VERSION + "/complete\"");
        assertThat(VllmInstallation.wanted(environment("install"), script)).isPresent();
        assertThat(folder.resolve("vllm-" + VllmInstallation.VERSION + "/complete"))
                .hasContent("install");
    }

    @Test
    void aFailureAndAWrongWordAreTold() throws Exception {
        Path script = script("exit 3");
        assertThatThrownBy(() -> VllmInstallation.wanted(environment("install"), script))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("failed");
        assertThatThrownBy(() -> VllmInstallation.wanted(environment("yes"), script))
                .hasMessage("PLAINSAIL_VLLM is \"yes\"; write install, off, or nothing");
    }

    @Test
    void theLauncherSaysHowToInstallWhatIsMissing() throws Exception {
        for (String program : List.of("vllm", "python3")) {
            // The sources have the same layout as what is built from them.
            Ran ran = run(environment(""), "src/main/dist/vllm-cpu/bin/" + program, "serve", "m");
            assertThat(ran.exitCode()).isEqualTo(127);
            assertThat(ran.output()).contains("e2e/vllm");
        }
    }

    @Test
    void theScriptRefusesWhatCannotWorkInOneLine() throws Exception {
        Map<String, String> noSpace = environment("");
        Path programs = Files.createDirectories(folder.resolve("programs"));
        Path df = programs.resolve("df");
        Files.writeString(df, "#!/bin/sh\necho head\necho /dev/x 1 1 100 1 /\n");
        assertThat(df.toFile().setExecutable(true)).isTrue();
        noSpace.put("PATH", programs + ":" + noSpace.get("PATH"));
        Ran full = run(noSpace, "./vllm");
        assertThat(full.exitCode()).isEqualTo(1);
        assertThat(full.output()).contains("100 MB left").contains("PLAINSAIL_CACHE");

        Files.delete(df);
        Map<String, String> noPython = environment("");
        noPython.put("PYTHON", "/nowhere/python3");
        Ran python = run(noPython, "./vllm");
        assertThat(python.exitCode()).isEqualTo(1);
        assertThat(python.output()).contains("Python 3.11 to 3.14").contains("PYTHON=");

        Ran where = run(environment(""), "./vllm", "where");
        assertThat(where.exitCode()).isEqualTo(1);
        assertThat(where.output()).contains("not installed");
        assertThat(run(environment(""), "./vllm", "nonsense").exitCode()).isEqualTo(2);
    }
}
