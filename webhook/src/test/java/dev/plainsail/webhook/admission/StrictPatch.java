package dev.plainsail.webhook.admission;

import io.fabric8.zjsonpatch.JsonPatch;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Applies RFC 6902 as strictly as the API server does: the library lets a {@code remove} of nothing pass. */
public final class StrictPatch {

    private StrictPatch() {}

    /** @throws RuntimeException if an operation does not fit what the earlier ones left */
    public static JsonNode apply(JsonNode operations, JsonNode object) {
        JsonNode result = object.deepCopy();
        for (JsonNode operation : operations) {
            String path = operation.path("path").asString("");
            if (operation.path("op").asString("").equals("remove")
                    && result.at(path).isMissingNode()) {
                throw new IllegalArgumentException("nothing to remove at " + path);
            }
            ArrayNode one = JsonNodeFactory.instance.arrayNode().add(operation);
            result = JsonPatch.apply(one, result);
        }
        return result;
    }
}
