package dev.plainsail.e2e.chart;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Objects that a program printed, by {@code Kind name}, without the marks by which the two programs differ. */
final class Rendered {
    static final YAMLMapper YAML = new YAMLMapper();

    private static final Set<String> CLUSTER_SCOPED =
            Set.of("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding");

    /** What a program said on both of its outputs. */
    record Said(int exitCode, String output, String errors) {}

    private Rendered() {}

    static Said run(Path program, List<String> arguments, Map<String, String> environment)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        CompletableFuture<String> errors = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                errors.complete(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                errors.complete(e.toString());
            }
        });
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Said(process.waitFor(), output, errors.join());
    }

    static Map<String, JsonNode> objects(String text) {
        Map<String, JsonNode> objects = new TreeMap<>();
        // Names that kustomize gives to what it generates end with a hash of the content.
        String plain = text.replaceAll("(plainsail-(?:webhook-settings|epp-settings|envoy))-[a-z0-9]{10}\\b", "$1");
        try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(plain)) {
            documents.forEachRemaining(object -> {
                if (object instanceof ObjectNode one) {
                    normalize(one);
                    objects.put(
                            kind(one) + " " + one.path("metadata").path("name").asString(), one);
                }
            });
        }
        return objects;
    }

    static String kind(JsonNode object) {
        return object.path("kind").asString();
    }

    private static void normalize(ObjectNode object) {
        if (CLUSTER_SCOPED.contains(kind(object))) {
            // kustomize does not know that these kinds have no namespace; the API server ignores it.
            ((ObjectNode) object.get("metadata")).remove("namespace");
        }
        if (kind(object).equals("ConfigMap")) {
            ObjectNode data = (ObjectNode) object.get("data");
            for (String file : List.copyOf(data.propertyNames())) {
                data.set(file, YAML.readTree(data.get(file).asString()));
            }
        }
        if (kind(object).equals("Deployment")) {
            ObjectNode template = (ObjectNode) object.get("spec").get("template");
            if (template.get("metadata").get("annotations") instanceof ObjectNode annotations) {
                annotations.remove("checksum/settings");
                if (annotations.isEmpty()) {
                    ((ObjectNode) template.get("metadata")).remove("annotations");
                }
            }
            sort((ArrayNode) template.get("spec").get("volumes"));
            template.get("spec")
                    .get("containers")
                    .forEach(container -> sort((ArrayNode) container.get("volumeMounts")));
        }
        foldExpressions(object);
    }

    /** Lists that the API merges by name have no order. */
    private static void sort(ArrayNode named) {
        List<JsonNode> all = new ArrayList<>();
        named.forEach(all::add);
        all.sort(Comparator.comparing(each -> each.path("name").asString()));
        named.removeAll();
        named.addAll(all);
    }

    /** kustomize folds long CEL texts in other places; white space means nothing there. */
    private static void foldExpressions(JsonNode node) {
        if (node instanceof ObjectNode object) {
            if (object.get("expression") instanceof StringNode text) {
                object.put("expression", text.asString().replaceAll("\\s+", " "));
            }
            object.values().forEach(Rendered::foldExpressions);
        } else if (node instanceof ArrayNode array) {
            array.forEach(Rendered::foldExpressions);
        }
    }
}
