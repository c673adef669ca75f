package dev.plainsail.webhook.command;

import dev.plainsail.webhook.command.PodComparison.Difference;
import dev.plainsail.webhook.command.PodComparison.Part;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Problem;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The result of {@code diff --live}: a table as kubectl prints them, or the same for programs, with every path. */
final class LiveReport {

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private LiveReport() {}

    static void table(PrintWriter out, List<LiveState> states) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAMESPACE", "WORKLOAD", "PODS", "NEXT POD", "WHAT"));
        states.forEach(state -> {
            List<String> what = what(state);
            rows.add(List.of(
                    state.namespace(),
                    title(state),
                    Integer.toString(state.pods()),
                    state.verdict().words(),
                    what.isEmpty() ? "" : what.getFirst()));
            what.stream().skip(1).forEach(line -> rows.add(List.of("", "", "", "", line)));
        });
        int[] widths = new int[rows.getFirst().size()];
        rows.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        rows.forEach(row -> {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 3));
            }
            out.println(line.toString().stripTrailing());
        });
        out.flush();
    }

    /** @param version of the program that made the forecast */
    static void print(PrintWriter out, List<LiveState> states, String version, boolean isYaml) {
        ObjectNode report = JSON.createObjectNode();
        report.put("version", version);
        ArrayNode workloads = report.putArray("workloads");
        states.forEach(state -> workloads.add(json(state)));
        if (isYaml) {
            out.print(Manifests.yaml(report));
        } else {
            out.println(JSON.writeValueAsString(report));
        }
        out.flush();
    }

    private static ObjectNode json(LiveState state) {
        ObjectNode node = JSON.createObjectNode();
        node.put("namespace", state.namespace())
                .put("kind", state.kind().kind())
                .put("name", state.name())
                .put("verdict", state.verdict().name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .put("pods", state.pods())
                .put("differing", state.differing());
        ArrayNode differences = node.putArray("differences");
        state.differences().forEach(difference -> {
            ObjectNode one = differences.addObject();
            one.put("part", difference.part().label()).put("path", difference.place());
            // Variables may hold what nobody should read in a terminal's history.
            if (difference.part() != Part.ENVIRONMENT) {
                one.put("has", difference.has()).put("next", difference.next());
            }
        });
        ArrayNode problems = node.putArray("problems");
        state.problems()
                .forEach(problem -> problems.addObject()
                        .put("reason", problem.reason().label())
                        .put("path", problem.path())
                        .put("message", problem.message()));
        return node;
    }

    /** As kubectl names objects: {@code deployment/qwen}. */
    private static String title(LiveState state) {
        return state.kind().kind().toLowerCase(Locale.ROOT) + "/" + state.name();
    }

    /** One line a part that differs, or a problem. */
    private static List<String> what(LiveState state) {
        List<String> lines = new ArrayList<>();
        for (Part part : Part.values()) {
            List<Difference> ofPart = state.differences().stream()
                    .filter(difference -> difference.part() == part)
                    .toList();
            if (!ofPart.isEmpty()) {
                lines.add(part.label() + ": " + words(part, ofPart));
            }
        }
        if (state.differing() > 0 && state.differing() < state.pods()) {
            lines.add("in " + state.differing() + " of " + state.pods() + " pods");
        }
        state.problems().stream().map(Problem::line).forEach(lines::add);
        return lines;
    }

    private static String words(Part part, List<Difference> differences) {
        if (part == Part.CLAIM) {
            return differences.stream()
                    .filter(difference -> difference.path().contains(Annotations.CLAIM_TEMPLATE_LABEL))
                    .findFirst()
                    .map(difference -> orNone(difference.has()) + " -> " + orNone(difference.next()))
                    .orElseGet(() -> names(differences));
        }
        if (part == Part.ARGUMENTS) {
            return differences.stream().map(LiveReport::arguments).distinct().collect(Collectors.joining(" "));
        }
        return names(differences);
    }

    private static String orNone(String text) {
        return text.isEmpty() ? "none" : text;
    }

    /** {@code +NAME} comes, {@code -NAME} goes, {@code NAME} changes. */
    private static String names(List<Difference> differences) {
        return differences.stream()
                .map(difference -> sign(difference) + name(difference))
                .distinct()
                .collect(Collectors.joining(" "));
    }

    private static String sign(Difference difference) {
        if (difference.has().isEmpty()) {
            return "+";
        }
        return difference.next().isEmpty() ? "-" : "";
    }

    /** Of a variable, a limit, a label: itself; of what is filled in: its field. */
    private static String name(Difference difference) {
        List<String> path = difference.path();
        int env = path.indexOf("env");
        if (env >= 0) {
            return path.get(env + 1);
        }
        if (difference.part() != Part.FILLED || !path.getFirst().equals("spec")) {
            return path.getLast();
        }
        return path.get(1).endsWith("ontainers") ? path.get(3) : path.get(1);
    }

    /** The words that come and go, without those around them. */
    private static String arguments(Difference difference) {
        List<String> had = list(difference.has());
        List<String> next = list(difference.next());
        List<String> words = new ArrayList<>();
        LineDiff.of(had, next).stream()
                .filter(line -> line.startsWith("+") || line.startsWith("-"))
                .forEach(words::add);
        return String.join(" ", words);
    }

    private static List<String> list(String text) {
        if (!text.startsWith("[")) {
            return text.isEmpty() ? List.of() : List.of(text);
        }
        try {
            JsonNode read = JSON.readTree(text);
            return read.valueStream().map(word -> word.asString("")).toList();
        } catch (JacksonException e) {
            return List.of(text);
        }
    }
}
