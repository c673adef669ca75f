package dev.plainsail.webhook.command;

import dev.plainsail.webhook.admission.Renderer.Rendered;
import java.io.PrintWriter;
import tools.jackson.databind.JsonNode;

/** Prints what admission would say, as kubectl prints it. */
final class Report {

    private Report() {}

    static void print(PrintWriter err, String source, JsonNode object, Rendered rendered) {
        if (!rendered.problems().isEmpty()) {
            err.println(source + ": the " + Manifests.title(object) + " is invalid:");
            rendered.problems().forEach(problem -> err.println("* " + problem.line()));
        }
        rendered.warnings()
                .forEach(warning -> err.println("Warning: " + Manifests.title(object) + ": " + warning.line()));
        err.flush();
    }
}
