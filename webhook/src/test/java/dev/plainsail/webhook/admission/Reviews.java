package dev.plainsail.webhook.admission;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** AdmissionReviews as the API server sends them, and their answers read. */
final class Reviews {

    static final JsonMapper JSON = JsonMapper.builder().build();

    private Reviews() {}

    static byte[] request(String uid, JsonNode object, Optional<JsonNode> oldObject) {
        return request(uid, object, oldObject, "");
    }

    static byte[] request(String uid, JsonNode object, Optional<JsonNode> oldObject, String subResource) {
        String apiVersion = object.path("apiVersion").asString("v1");
        int slash = apiVersion.indexOf('/');
        ObjectNode review = JsonNodeFactory.instance.objectNode();
        review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
        ObjectNode request = review.putObject("request");
        request.put("uid", uid);
        request.putObject("kind")
                .put("group", slash < 0 ? "" : apiVersion.substring(0, slash))
                .put("version", apiVersion.substring(slash + 1))
                .put("kind", object.path("kind").asString(""));
        if (!subResource.isEmpty()) {
            request.put("subResource", subResource);
        }
        request.put("namespace", object.path("metadata").path("namespace").asString("team-a"));
        String name = object.path("metadata").path("name").asString("");
        if (!name.isEmpty()) {
            request.put("name", name);
        }
        request.put("operation", oldObject.isPresent() ? "UPDATE" : "CREATE");
        request.set("object", object);
        request.set("oldObject", oldObject.orElse(JsonNodeFactory.instance.nullNode()));
        request.put("dryRun", false);
        return JSON.writeValueAsBytes(review);
    }

    static JsonNode response(byte[] answer) {
        return JSON.readTree(answer).path("response");
    }

    /** The operations of an answer; empty if it has none. */
    static ArrayNode operations(byte[] answer) {
        String patch = response(answer).path("patch").asString("");
        return patch.isEmpty()
                ? JsonNodeFactory.instance.arrayNode()
                : (ArrayNode) JSON.readTree(new String(Base64.getDecoder().decode(patch), StandardCharsets.UTF_8));
    }
}
