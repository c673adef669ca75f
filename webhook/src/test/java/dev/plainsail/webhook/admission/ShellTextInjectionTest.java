package dev.plainsail.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.InjectionSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Shell texts with injected words, run by real shells in which {@code vllm} prints what it got. */
class ShellTextInjectionTest {

    private static final String STUB =
            "vllm() { for word; do printf '<%s>' \"$word\"; done; }\nsglang() { vllm \"$@\"; }\n";
    private static final String ADDED = "<--tensor-parallel-size><2><--x><a 'b' \"c\" \\ *>";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "vllm serve m",
                "vllm serve m;",
                "vllm serve m # comment",
                "vllm serve 'a b' --y \"c d\" --z=e\\ f",
                "vllm serve m \\\n  --y 1 \\\n  --z 2\n",
                "vllm serve m --y $(printf 1) --z \"$(printf '%s' 'x y')\"",
                "A=1 vllm serve m --y ${A:-2}",
                "true && vllm serve m --y 'a;b|c&d' && true",
                "if true; then vllm serve m --y 1; fi",
                "{ vllm serve m; } 2>&1 | cat",
                "(cd / && vllm serve m)",
                "vllm serve m 2>/dev/null >&1",
                "vllm serve m >/dev/stdout 2>&1",
                "echo 'vllm serve n' >/dev/null; vllm serve m",
                "for i in 1; do vllm serve m --y $i; done",
                "vllm serve m --y `printf 1` --z \"a`printf 2`\"",
                "! false && vllm serve m",
                "X='vllm serve'; vllm serve m --y \"$X\"",
                "case a in a) vllm serve m ;; esac"
            })
    void theEngineGetsItsOwnWordsAndThenOurs(String text) throws Exception {
        String patched = patched(text);
        for (String shell : List.of("/bin/sh", "/bin/bash")) {
            String before = run(shell, text);
            assertThat(before).as(shell).startsWith("<serve>");
            assertThat(run(shell, patched)).as(shell + ": " + patched).isEqualTo(before + ADDED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cat <<EOF\nx\nEOF\nvllm serve m",
                "eval \"vllm serve m\"",
                "bash -c 'vllm serve m'",
                "vllm serve a & vllm serve b",
                "vllm serve 'm"
            })
    void whatIsNotUnderstoodIsLeftAlone(String text) {
        assertThat(patched(text)).isEqualTo(text);
    }

    private static String patched(String text) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.put("apiVersion", "v1").put("kind", "Pod");
        pod.putObject("metadata")
                .putObject("annotations")
                .put("plainsail.dev/parallelism", "tensor=2")
                .put("plainsail.dev/engine-args", "--x 'a '\\''b'\\'' \"c\" \\ *'");
        ObjectNode container = pod.putObject("spec").putArray("containers").addObject();
        container
                .put("name", "e")
                .put("image", "x")
                .putArray("command")
                .add("sh")
                .add("-c")
                .add(text);
        AdmissionHandler handler = new AdmissionHandler(
                InjectionSettings.defaults(), ClusterView.UNKNOWN, AdmissionRecorder.NONE, System::nanoTime);
        byte[] answer = handler.handle(Reviews.request("u", pod, Optional.empty()));
        assertThat(Reviews.response(answer).path("allowed").asBoolean())
                .as(new String(answer, StandardCharsets.UTF_8))
                .isTrue();
        ArrayNode operations = Reviews.operations(answer);
        JsonNode result = StrictPatch.apply(operations, pod);
        return result.path("spec")
                .path("containers")
                .get(0)
                .path("command")
                .get(2)
                .asString("");
    }

    private static String run(String shell, String text) throws Exception {
        List<String> command = new ArrayList<>(List.of(shell, "-c", STUB + text));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
