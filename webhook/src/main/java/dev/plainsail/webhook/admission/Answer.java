package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.plan.Warning;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Writes the AdmissionReview that goes back, as {@code admission.k8s.io/v1} wants it. */
final class Answer {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final int WARNING_CHARACTERS = 512;
    /** The API server drops what exceeds 4096 characters in all, and cuts single ones only then. */
    private static final int ALL_WARNINGS_CHARACTERS = 3800;

    private static final int UNPROCESSABLE = 422;
    private static final int INTERNAL = 500;

    private Answer() {}

    static byte[] bytes(Review review, Decision decision) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
        ObjectNode response = answer.putObject("response");
        response.put("uid", review.uid());
        ObjectNode audit = JsonNodeFactory.instance.objectNode();
        audit.put("decision", decision.label());
        audit.put("reason", reason(decision));
        switch (decision) {
            case Decision.Unchanged unchanged -> response.put("allowed", true);
            case Decision.Patched patched -> {
                response.put("allowed", true);
                response.put("patchType", "JSONPatch");
                response.put("patch", MAPPER.writeValueAsBytes(patched.operations()));
                if (!patched.plan().isEmpty()) {
                    audit.put("plan", Copying.hash(patched.plan()));
                }
                if (!patched.template().isEmpty()) {
                    audit.put("template", patched.template());
                }
            }
            case Decision.Denied denied -> denied(response, review, denied.problems());
            case Decision.Failed failed -> {
                response.put("allowed", failed.isAllowed());
                if (!failed.isAllowed()) {
                    status(response, INTERNAL, "InternalError", failed.what());
                }
            }
        }
        List<String> warnings = bounded(decision.warnings());
        if (!warnings.isEmpty()) {
            ArrayNode array = response.putArray("warnings");
            warnings.forEach(array::add);
        }
        response.set("auditAnnotations", audit);
        return MAPPER.writeValueAsBytes(answer);
    }

    /** Why, in words that are metric labels, too. */
    static String reason(Decision decision) {
        return switch (decision) {
            case Decision.Unchanged unchanged -> unchanged.why().label();
            case Decision.Patched patched -> "patched";
            case Decision.Failed failed -> "failed";
            case Decision.Denied denied ->
                inOrder(denied.problems()).stream()
                        .map(problem -> problem.reason().label())
                        .distinct()
                        .collect(Collectors.joining(","));
        };
    }

    private static List<Problem> inOrder(List<Problem> problems) {
        return problems.stream().sorted(Comparator.comparing(Problem::reason)).toList();
    }

    private static ObjectNode status(ObjectNode response, int code, String reason, String message) {
        ObjectNode status = response.putObject("status");
        status.put("status", "Failure").put("code", code).put("reason", reason).put("message", message);
        return status;
    }

    /** Everything is in the message, for controllers that show nothing else; kubectl prints the causes, one a line. */
    private static void denied(ObjectNode response, Review review, List<Problem> unordered) {
        response.put("allowed", false);
        List<Problem> problems = inOrder(unordered);
        String all = problems.stream().map(Problem::line).collect(Collectors.joining("; "));
        String message = problems.size() == 1 ? all : problems.size() + " problems: " + all;
        ObjectNode details = status(response, UNPROCESSABLE, "Invalid", message).putObject("details");
        details.put("name", review.name()).put("group", review.group()).put("kind", review.kindName());
        ArrayNode causes = details.putArray("causes");
        problems.forEach(problem -> causes.addObject()
                .put("reason", problem.causeReason())
                .put("message", problem.message())
                .put("field", problem.path()));
    }

    /** Within what the API server passes on: printable, each cut, the rest counted. */
    private static List<String> bounded(List<Warning> warnings) {
        List<String> result = new ArrayList<>();
        int total = 0;
        for (Warning warning : warnings) {
            String line = printable(warning.line());
            total += line.length();
            if (total > ALL_WARNINGS_CHARACTERS) {
                result.add("and " + (warnings.size() - result.size()) + " more warnings");
                return result;
            }
            result.add(line);
        }
        return result;
    }

    private static String printable(String text) {
        String line = text.replaceAll("\\p{Cntrl}+", " ");
        return line.length() > WARNING_CHARACTERS ? line.substring(0, WARNING_CHARACTERS - 3) + "..." : line;
    }
}
