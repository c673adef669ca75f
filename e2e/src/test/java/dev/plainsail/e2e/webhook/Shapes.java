package dev.plainsail.e2e.webhook;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MappingIterator;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Objects as users send them, from {@code webhook/shapes.yaml}: each document is an object, with {@code name} (what is special
 * about it) and {@code called} (whether the API server must ask the webhook about it) beside it. Sent as raw trees, because a
 * typed client would smooth out the very oddities that matter.
 */
final class Shapes {
    static final YAMLMapper YAML = new YAMLMapper();
    private static final Map<String, String> PATHS = Map.of(
            "Pod", "/api/v1/namespaces/%s/pods",
            "Deployment", "/apis/apps/v1/namespaces/%s/deployments",
            "ReplicaSet", "/apis/apps/v1/namespaces/%s/replicasets",
            "StatefulSet", "/apis/apps/v1/namespaces/%s/statefulsets",
            "DaemonSet", "/apis/apps/v1/namespaces/%s/daemonsets",
            "Job", "/apis/batch/v1/namespaces/%s/jobs",
            "CronJob", "/apis/batch/v1/namespaces/%s/cronjobs",
            "LeaderWorkerSet", "/apis/leaderworkerset.x-k8s.io/v1/namespaces/%s/leaderworkersets",
            "Service", "/api/v1/namespaces/%s/services",
            "ConfigMap", "/api/v1/namespaces/%s/configmaps");

    record Shape(String name, boolean called, String namespace, ObjectNode object) {
        String path() {
            return PATHS.get(object.get("kind").asString()).formatted(namespace);
        }

        @Override
        public String toString() {
            return object.get("kind").asString() + ": " + name;
        }
    }

    private Shapes() {}

    static List<Shape> all() {
        List<Shape> shapes = new ArrayList<>();
        try (InputStream in = Shapes.class.getResourceAsStream("/webhook/shapes.yaml");
                MappingIterator<JsonNode> documents =
                        YAML.readerFor(JsonNode.class).readValues(in)) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                ObjectNode object = (ObjectNode) document.get("object");
                object.withObject("/metadata").put("name", "shape-" + shapes.size());
                shapes.add(new Shape(
                        document.get("name").asString(),
                        document.get("called").asBoolean(),
                        document.path("namespace").asString("shapes"),
                        object));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return shapes;
    }
}
