package dev.plainsail.webhook.command;

import dev.plainsail.webhook.admission.Forecast.Next;
import dev.plainsail.webhook.plan.Annotations;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A pod that runs, against the one that would be made from the same template now. Only what Plainsail injects is compared:
 * the places where its plan changes the template, and what the pod's own plan says was injected once and would not be again.
 * What the API server, controllers and other injectors added to the pod is nobody's difference. One use, one thread.
 */
final class PodComparison {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final List<String> PLAN = List.of("metadata", "annotations", Annotations.PLAN);

    private final Set<Difference> differences = new LinkedHashSet<>();

    private PodComparison() {}

    /** Empty if the next pod would be the same. */
    static List<Difference> of(Next.Made next, JsonNode pod) {
        PodComparison comparison = new PodComparison();
        comparison.compare(List.of(), next.template(), next.pod(), pod);
        comparison.lost(
                plan(pod.at("/metadata/annotations").path(Annotations.PLAN).asString("")), plan(next.plan()));
        return List.copyOf(comparison.differences);
    }

    private void compare(List<String> path, JsonNode template, JsonNode next, JsonNode pod) {
        if (next.equals(template) || path.equals(PLAN)) {
            return;
        }
        if (next.isObject()) {
            Set<String> fields = new LinkedHashSet<>(template.propertyNames());
            fields.addAll(next.propertyNames());
            fields.forEach(
                    field -> compare(child(path, field), template.path(field), next.path(field), pod.path(field)));
        } else if (next.isArray() && isKeyed(next)) {
            next.forEach(element -> {
                String key = key(element);
                compare(child(path, key), named(template, key), element, named(pod, key));
            });
        } else if (!isEqual(next, pod)) {
            differences.add(new Difference(path, text(pod), text(next)));
        }
    }

    /** What was injected into the pod and would not be again, by the names in both plans. */
    private void lost(JsonNode before, JsonNode now) {
        String had = before.path("claim").path("source").asString("");
        if (!had.isEmpty() && now.path("claim").isMissingNode()) {
            differences.add(new Difference(List.of("spec", "resourceClaims", Annotations.CLAIM_ENTRY), had, ""));
        }
        for (Part part : Part.values()) {
            part.word().ifPresent(word -> {
                Set<String> names = names(before, word);
                names.removeAll(names(now, word));
                boolean isSaid = differences.stream().anyMatch(difference -> difference.part() == part);
                if (!isSaid) {
                    names.forEach(name -> differences.add(new Difference(
                            List.of("metadata", "annotations", Annotations.PLAN, word, name), name, "")));
                }
            });
        }
    }

    private static JsonNode plan(String text) {
        try {
            return text.isEmpty() ? JSON.createObjectNode() : JSON.readTree(text);
        } catch (JacksonException e) {
            return JSON.createObjectNode();
        }
    }

    private static Set<String> names(JsonNode plan, String word) {
        Set<String> names = new LinkedHashSet<>();
        plan.path(word).forEach(name -> names.add(name.asString("")));
        return names;
    }

    /** Lists that the API merges by name: order means little, and others add elements of their own. */
    private static boolean isKeyed(JsonNode array) {
        return !array.isEmpty()
                && array.valueStream().noneMatch(element -> key(element).isEmpty());
    }

    private static String key(JsonNode element) {
        return element.path("mountPath").asString(element.path("name").asString(""));
    }

    private static JsonNode named(JsonNode array, String key) {
        return array.valueStream()
                .filter(element -> key(element).equals(key))
                .reduce((first, last) -> last)
                .orElseGet(() -> array.path("nothing"));
    }

    private static boolean isEqual(JsonNode one, JsonNode other) {
        if (one.isNumber() && other.isNumber()) {
            return one.decimalValue().compareTo(other.decimalValue()) == 0;
        }
        return one.equals(other) || (one.isMissingNode() && other.isNull());
    }

    private static List<String> child(List<String> path, String step) {
        List<String> result = new ArrayList<>(path);
        result.add(step);
        return result;
    }

    private static String text(JsonNode node) {
        if (node.isString()) {
            return node.stringValue();
        }
        return node.isMissingNode() ? "" : node.toString();
    }

    /** What a difference is about, as people speak of it. */
    enum Part {
        CLAIM("claim", ""),
        LIMITS("limits", "replaced"),
        ARGUMENTS("args", "arguments"),
        ENVIRONMENT("env", "variables"),
        FILLED("fill", "filled"),
        LABELS("labels", "labels"),
        ANNOTATIONS("annotations", "");

        private final String label;
        private final String word;

        Part(String label, String word) {
            this.label = label;
            this.word = word;
        }

        String label() {
            return label;
        }

        /** Under which word the plan lists its names. */
        private Optional<String> word() {
            return word.isEmpty() ? Optional.empty() : Optional.of(word);
        }

        private static Part of(List<String> path) {
            if (path.contains(Annotations.PLAN)) {
                return List.of(values()).stream()
                        .filter(part -> !part.word.isEmpty() && path.contains(part.word))
                        .findFirst()
                        .orElse(ANNOTATIONS);
            }
            boolean isClaim = path.contains("resourceClaims")
                    || path.contains("claims")
                    || path.contains(Annotations.CLAIM_SPEC)
                    || path.contains(Annotations.CLAIM_TEMPLATE_LABEL);
            if (isClaim) {
                return CLAIM;
            }
            return switch (path.size() > 3 && path.getFirst().equals("spec") ? path.get(3) : path.get(1)) {
                case "resources" -> LIMITS;
                case "command", "args" -> ARGUMENTS;
                case "env" -> ENVIRONMENT;
                case "labels" -> LABELS;
                case "annotations" -> ANNOTATIONS;
                default -> FILLED;
            };
        }
    }

    /**
     * One place where the next pod would differ.
     *
     * @param path steps to it; an element of a list by its name
     * @param has empty if there is nothing
     * @param next empty if there would be nothing
     */
    record Difference(List<String> path, String has, String next) {
        Difference {
            path = List.copyOf(path);
        }

        Part part() {
            return Part.of(path);
        }

        String place() {
            return String.join(".", path);
        }
    }
}
