package dev.plainsail.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.plainsail.e2e.cluster.HelmBinary;
import dev.plainsail.e2e.story.Checkout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** The real helm with the shipped chart, away from anybody's own Helm settings. */
record Helm(Path program, Path home) {

    /** Skips the test, in one line, where there is neither helm nor Go to build it. */
    static Helm orSkip(Path home) {
        return HelmBinary.find(System.getenv())
                .map(program -> new Helm(program, home))
                .orElseGet(() -> abort("skipped: the Helm chart, because there is no Go to build helm with"));
    }

    static Path chart() {
        return Checkout.find().manifests("chart/plainsail");
    }

    Rendered.Said run(List<String> arguments) throws IOException, InterruptedException {
        return Rendered.run(
                program,
                arguments,
                Map.of(
                        "HELM_CACHE_HOME", home.resolve("cache").toString(),
                        "HELM_CONFIG_HOME", home.resolve("config").toString(),
                        "HELM_DATA_HOME", home.resolve("data").toString(),
                        "KUBECONFIG", home.resolve("none").toString()));
    }

    Rendered.Said template(String... more) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(
                List.of("template", "plainsail", chart().toString(), "--namespace", "plainsail-system"));
        arguments.addAll(List.of(more));
        return run(arguments);
    }

    Map<String, JsonNode> objects(String... more) throws IOException, InterruptedException {
        Rendered.Said said = template(more);
        assertThat(said.exitCode()).as(said.errors()).isZero();
        return Rendered.objects(said.output());
    }
}
