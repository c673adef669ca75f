package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.EngineSettings.Model;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The list of models: the served names, then the adapters. */
final class Models {
    private Models() {}

    static ObjectNode list(SimulatedEngine engine) {
        Model model = engine.settings().model();
        long created = (long) engine.clock().epochSeconds();
        ObjectNode list = JsonNodeFactory.instance.objectNode().put("object", "list");
        ArrayNode data = list.putArray("data");
        for (String name : model.names()) {
            data.add(one(name, created, model.root(), null, model.maxLength()));
        }
        model.adapters()
                .forEach((name, path) ->
                        data.add(one(name, created, path, model.names().getFirst(), null)));
        return list;
    }

    private static ObjectNode one(
            String id, long created, String root, @Nullable String parent, @Nullable Integer maxLength) {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("id", id)
                .put("object", "model")
                .put("created", created)
                .put("owned_by", "vllm")
                .put("root", root);
        node.put("parent", parent).put("max_model_len", maxLength);
        ObjectNode permission = node.putArray("permission").addObject();
        permission
                .put("id", "modelperm-" + Integer.toHexString(id.hashCode()))
                .put("object", "model_permission")
                .put("created", created);
        permission.put("allow_create_engine", false).put("allow_sampling", true).put("allow_logprobs", true);
        permission.put("allow_search_indices", false).put("allow_view", true).put("allow_fine_tuning", false);
        permission.put("organization", "*").putNull("group").put("is_blocking", false);
        return node;
    }
}
