package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.plan.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/**
 * The shapes that planning and patching rely on. The API server lets nothing else through to us; a file on a disk may hold {@code
 * args: "--port 8000"}.
 */
final class PodShape {

    private final String prefix;
    private final List<Problem> problems = new ArrayList<>();

    private PodShape(String prefix) {
        this.prefix = prefix;
    }

    /** @param prefix of the pod's paths, with its dot */
    static List<Problem> problems(JsonNode pod, String prefix) {
        PodShape shape = new PodShape(prefix);
        shape.metadata(pod.path("metadata"));
        shape.map(pod.path("spec"), "spec");
        if (pod.path("spec").isObject()) {
            shape.spec(pod.path("spec"));
        }
        return shape.problems;
    }

    /** Of a workload itself. */
    static List<Problem> ofMetadata(JsonNode object) {
        PodShape shape = new PodShape("");
        shape.metadata(object.path("metadata"));
        return shape.problems;
    }

    private void metadata(JsonNode metadata) {
        map(metadata, "metadata");
        map(metadata.path("annotations"), "metadata.annotations");
        map(metadata.path("labels"), "metadata.labels");
    }

    private void spec(JsonNode spec) {
        maps(spec.path("volumes"), "spec.volumes");
        maps(spec.path("resourceClaims"), "spec.resourceClaims");
        for (String list : List.of("containers", "initContainers")) {
            maps(spec.path(list), "spec." + list);
            for (int i = 0; i < spec.path(list).size(); i++) {
                if (spec.path(list).path(i).isObject()) {
                    container(spec.path(list).path(i), "spec." + list + "[" + i + "].");
                }
            }
        }
    }

    private void container(JsonNode container, String path) {
        texts(container.path("command"), path + "command");
        texts(container.path("args"), path + "args");
        for (String list : List.of("env", "envFrom", "ports", "volumeMounts")) {
            maps(container.path(list), path + list);
        }
        map(container.path("lifecycle"), path + "lifecycle");
        JsonNode resources = container.path("resources");
        map(resources, path + "resources");
        map(resources.path("limits"), path + "resources.limits");
        map(resources.path("requests"), path + "resources.requests");
        maps(resources.path("claims"), path + "resources.claims");
    }

    private void map(JsonNode node, String path) {
        expect(node, path, JsonNode::isObject, "write `name: value` pairs");
    }

    private void maps(JsonNode node, String path) {
        expect(node, path, list -> isListOf(list, JsonNode::isObject), "write a list, each item with its fields");
    }

    private void texts(JsonNode node, String path) {
        expect(
                node,
                path,
                list -> isListOf(list, JsonNode::isString),
                "write a list of texts, one for each word, as in [\"--port\", \"8000\"]");
    }

    private static boolean isListOf(JsonNode list, Predicate<JsonNode> item) {
        return list.isArray() && list.valueStream().allMatch(item);
    }

    private void expect(JsonNode node, String path, Predicate<JsonNode> isRight, String detail) {
        if (!node.isMissingNode() && !node.isNull() && !isRight.test(node)) {
            String there = node.isString() ? node.stringValue() : node.toString();
            problems.add(new Problem(Reason.WRONG_SHAPE, prefix + path, there, detail));
        }
    }
}
