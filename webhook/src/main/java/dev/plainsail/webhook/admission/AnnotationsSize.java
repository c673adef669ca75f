package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.workload.Trees;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** The API server's limit on all annotations of one object together, which what we add could be the last straw for. */
final class AnnotationsSize {

    private static final int LIMIT = 256 * 1024;

    private AnnotationsSize() {}

    /** @param after the pod or template as it will be */
    static Optional<Problem> problem(JsonNode after, String prefix) {
        long bytes = 0;
        for (Map.Entry<String, String> entry :
                Trees.textMap(after.path("metadata").path("annotations")).entrySet()) {
            bytes += bytes(entry.getKey()) + bytes(entry.getValue());
        }
        return bytes <= LIMIT
                ? Optional.empty()
                : Optional.of(new Problem(
                        Reason.TOO_LONG,
                        prefix + "metadata.annotations",
                        "",
                        "with what Plainsail adds (plan, claim, copies) there are " + bytes
                                + " bytes of annotations, and the API server takes " + LIMIT
                                + " at most; shorten or remove some"));
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
