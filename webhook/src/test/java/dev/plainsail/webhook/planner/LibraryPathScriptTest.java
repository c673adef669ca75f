package dev.plainsail.webhook.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The script that keeps an image's own LIBRARY_PATH, run by real shells. */
class LibraryPathScriptTest {

    private static final String SCRIPT =
            LibraryPathPlanner.script(List.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"));
    private static final String OURS = "/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu";

    @ParameterizedTest
    @CsvSource(
            nullValues = "unset",
            value = {
                "unset,''",
                "'',''",
                ":,''",
                "/a,:/a",
                "/a:,:/a",
                ":/a,:/a",
                "/a::/b,:/a:/b",
                "/a b:/c,:/a b:/c",
                "/*:/c,:/*:/c",
                "'/a''b',:/a'b"
            })
    void keepsEveryPartAndWritesNoEmptyOne(String own, String rest) throws Exception {
        for (String shell : List.of("/bin/sh", "/bin/bash", "/usr/bin/dash")) {
            if (new File(shell).canExecute()) {
                assertThat(run(shell, own, shell, "-c", "printf %s \"$LIBRARY_PATH\""))
                        .as(shell)
                        .isEqualTo(OURS + rest);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"/bin/sh", "/bin/bash"})
    void theWrappedWordsArriveAsTheyAre(String shell) throws Exception {
        Assumptions.assumeTrue(new File(shell).canExecute());
        String printer = "for word; do printf '<%s>' \"$word\"; done";
        assertThat(run(shell, "/a", "/bin/sh", "-c", printer, "x", "a b", "*", "", "$HOME", "'\"\\"))
                .isEqualTo("<a b><*><><$HOME><'\"\\>");
        // the shell's own settings are as before: words split at blanks, patterns are patterns
        assertThat(run(
                        shell,
                        "/a:/b",
                        "/bin/sh",
                        "-c",
                        "v='a b'; set -- $v; printf %s \"$#${_rest-unset}${_part-unset}\""))
                .isEqualTo("2unsetunset");
    }

    private static String run(String shell, @Nullable String own, String... words)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(shell, "-c", SCRIPT));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("LIBRARY_PATH");
        if (own != null) {
            builder.environment().put("LIBRARY_PATH", own);
        }
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
