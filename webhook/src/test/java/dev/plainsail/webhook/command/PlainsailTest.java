package dev.plainsail.webhook.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.webhook.admission.StrictPatch;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The command as people run it: arguments and standard input in; output, messages and exit code out. */
class PlainsailTest {

    private static final String DEPLOYMENT = """
            apiVersion: apps/v1
            kind: Deployment
            metadata:
              name: qwen
              namespace: team-a
              annotations:
                plainsail.dev/devices: gpu.nvidia.com
                plainsail.dev/parallelism: tensor=2
            spec:
              template:
                spec:
                  containers:
                  - name: engine
                    image: vllm/vllm-openai:v0.12.0
                    args: [--model, m]
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: qwen}
            """;

    private record Result(int code, String out, String err) {}

    private static Result run(String in, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Plainsail.commandLine(
                        new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
                        new PrintWriter(out),
                        new PrintWriter(err),
                        false)
                .execute(arguments);
        return new Result(code, out.toString(), err.toString());
    }

    @Test
    void renderPrintsTemplatesFirstThenEveryDocument() {
        Result result = run(DEPLOYMENT, "render", "-f", "-");
        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
        List<JsonNode> objects = Manifests.read(result.out().getBytes(StandardCharsets.UTF_8));
        assertThat(objects)
                .extracting(Manifests::title)
                .satisfiesExactly(
                        template -> assertThat(template)
                                .startsWith("ResourceClaimTemplate team-a/plainsail-gpu-nvidia-com-"),
                        deployment -> assertThat(deployment).isEqualTo("Deployment team-a/qwen"),
                        service -> assertThat(service).isEqualTo("Service qwen"));
        JsonNode container = objects.get(1).at("/spec/template/spec/containers/0");
        assertThat(container.path("args").toString()).isEqualTo("[\"--model\",\"m\",\"--tensor-parallel-size\",\"2\"]");
        assertThat(objects.get(1).at("/spec/template/spec/resourceClaims/0/resourceClaimTemplateName"))
                .isEqualTo(objects.getFirst().at("/metadata/name"));
    }

    @Test
    void thePatchLeadsToWhatIsRendered() {
        String line = run(DEPLOYMENT, "render", "-o", "patch", "-f", "-").out();
        JsonNode patch = Manifests.YAML.readTree(line);
        assertThat(patch.path("object").asString("")).isEqualTo("Deployment team-a/qwen");
        JsonNode before =
                Manifests.read(DEPLOYMENT.getBytes(StandardCharsets.UTF_8)).getFirst();
        JsonNode after = Manifests.read(
                        run(DEPLOYMENT, "render", "-f", "-").out().getBytes(StandardCharsets.UTF_8))
                .get(1);
        assertThat(StrictPatch.apply(patch.path("patch"), before)).isEqualTo(after);
    }

    @Test
    void renderingTwiceChangesNothing() {
        String once = run(DEPLOYMENT, "render", "-f", "-").out();
        assertThat(Manifests.read(run(once, "render", "-f", "-").out().getBytes(StandardCharsets.UTF_8)))
                .containsAll(Manifests.read(once.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void whatAdmissionRefusesIsRefusedInTheSameWords() {
        Result result =
                run(DEPLOYMENT.replace("tensor=2", "tenser=2").replace("gpu.nvidia.com", "true"), "render", "-f", "-");
        assertThat(result.code()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isEqualTo("""
                        standard input: the Deployment team-a/qwen is invalid:
                        * metadata.annotations[plainsail.dev/devices]: Invalid value: "true": annotations are texts; write "true", in quotes
                        * metadata.annotations[plainsail.dev/parallelism]: Invalid value: "tenser=2": write tensor=N, pipeline=N, data=N, data-local=N or expert, with commas between; did you mean tensor?
                        """);
    }

    @Test
    void diffShowsWhatIsAddedAndExitsWithOne() {
        Result result = run(DEPLOYMENT, "diff", "-f", "-");
        assertThat(result.code()).isEqualTo(1);
        assertThat(result.out())
                .startsWith("--- Deployment team-a/qwen\n+++ as Plainsail makes it\n@@\n")
                .contains("\n+        - --tensor-parallel-size\n+        - \"2\"\n")
                .contains("\n+ ResourceClaimTemplate team-a/plainsail-gpu-nvidia-com-")
                .doesNotContain("Service");
        assertThat(run(DEPLOYMENT, "diff", "--color", "-f", "-").out()).contains("\u001b[32m+");
        assertThat(run("apiVersion: v1\nkind: Service\n", "diff", "-f", "-")).isEqualTo(new Result(0, "", ""));
    }

    @Test
    void filesAndFoldersAndSettings(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("a.yaml"), DEPLOYMENT.replace("gpu.nvidia.com", "a100"));
        Files.writeString(folder.resolve("notes.txt"), "not: [yaml");
        Path config = folder.resolve("settings.conf");
        Files.writeString(
                config, "port: 1\ninjection: {library-path-classes: [a100], driver-directories: [/drivers]}\n");
        assertThat(run("", "render", "-f", folder.toString(), "--config", config.toString())
                        .out())
                .contains("value: /drivers:/usr/local/cuda/lib64/stubs");
        Files.writeString(config, "injection: {shm: lots}\n");
        assertThat(run("", "render", "-f", folder.toString(), "--config", config.toString())
                        .err())
                .isEqualTo("plainsail: " + config + ": injection.shm: must be a positive quantity, as in 16Gi\n");
    }

    @Test
    void mistakesOnTheCommandLineSayWhatToDo() {
        assertThat(run("", "rendr").err()).contains("Did you mean: plainsail render?");
        assertThat(run("", "render").err())
                .isEqualTo(
                        "plainsail: Missing required option: '--filename=FILE'\nRun 'plainsail render --help' for what there is.\n");
        assertThat(run("", "render", "-f", "/nowhere"))
                .isEqualTo(new Result(2, "", "plainsail: /nowhere: there is no such file\n"));
        assertThat(run("a: [", "render", "-f", "-").err()).startsWith("plainsail: standard input: is not YAML: ");
    }

    @Test
    void everyShellGetsItsCompletion() {
        assertThat(run("", "completion", "bash").out()).contains("complete -F _complete_plainsail");
        assertThat(run("", "completion", "zsh").out()).contains("bashcompinit");
        assertThat(run("", "completion", "fish").out())
                .contains("complete -c plainsail -n '__fish_seen_subcommand_from diff' -s f -l filename -r");
        assertThat(run("", "completion", "tcsh").code()).isEqualTo(2);
    }

    @Test
    void lineDiffKeepsContextApart() {
        List<String> before = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
        List<String> after = List.of("a", "B", "c", "d", "e", "f", "g", "h", "i", "j", "k");
        assertThat(LineDiff.of(before, after))
                .containsExactly("@@", " a", "-b", "+B", " c", " d", " e", "@@", " h", " i", " j", "+k");
        assertThat(LineDiff.of(before, before)).isEmpty();
    }
}
