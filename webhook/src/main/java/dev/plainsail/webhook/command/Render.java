package dev.plainsail.webhook.command;

import dev.plainsail.webhook.admission.Renderer;
import dev.plainsail.webhook.admission.Renderer.Rendered;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** {@code plainsail render}: manifests as the cluster would have them, with the claim templates that they need. */
@Command(
        name = "render",
        mixinStandardHelpOptions = true,
        description =
                "Prints manifests as Plainsail would make them: pods as they would start, workloads with such pods in their"
                        + " template, and the claim templates. Judges as admission does; exits with 2 if anything would be refused.")
final class Render implements Callable<Integer> {

    /** How the result is printed. */
    enum Format {
        yaml,
        json,
        /** A line of JSON an object that changes: its title and the RFC 6902 operations. */
        patch
    }

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    @ParentCommand
    private @Nullable Plainsail parent;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private ManifestOptions manifests = new ManifestOptions();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "yaml",
            description = "One of: ${COMPLETION-CANDIDATES} (default: yaml).")
    private Format format = Format.yaml;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec().commandLine().getOut();
        PrintWriter err = spec().commandLine().getErr();
        Renderer renderer = new Renderer(manifests.settings());
        List<JsonNode> objects = new ArrayList<>();
        Map<String, JsonNode> templates = new LinkedHashMap<>();
        List<JsonNode> patches = new ArrayList<>();
        boolean isWrong = false;
        for (ManifestOptions.Document document : manifests.documents(spec().commandLine(), parent().in())) {
            Rendered rendered = renderer.render(document.object());
            Report.print(err, document.source(), document.object(), rendered);
            isWrong |= !rendered.problems().isEmpty();
            objects.add(rendered.object());
            if (!rendered.operations().isEmpty()) {
                ObjectNode patch = JsonNodeFactory.instance.objectNode();
                patch.put("object", Manifests.title(document.object())).set("patch", rendered.operations());
                patches.add(patch);
            }
            rendered.templates().forEach(template -> templates.put(Manifests.title(template), template));
        }
        if (isWrong) {
            return Plainsail.WRONG;
        }
        if (format == Format.patch) {
            patches.forEach(patch -> out.println(patch));
            out.flush();
            return 0;
        }
        List<JsonNode> all = new ArrayList<>(templates.values());
        all.addAll(objects);
        print(out, all);
        return 0;
    }

    private void print(PrintWriter out, List<JsonNode> objects) {
        switch (format) {
            case yaml -> {
                for (int i = 0; i < objects.size(); i++) {
                    out.print((i == 0 ? "" : "---\n") + Manifests.yaml(objects.get(i)));
                }
            }
            case json, patch -> objects.forEach(object -> out.println(JSON.writeValueAsString(object)));
        }
        out.flush();
    }

    private Plainsail parent() {
        return Objects.requireNonNull(parent);
    }

    private CommandSpec spec() {
        return Objects.requireNonNull(spec);
    }
}
