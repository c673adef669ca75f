package dev.plainsail.webhook.command;

import dev.plainsail.webhook.admission.Forecast;
import dev.plainsail.webhook.admission.Forecast.Next;
import dev.plainsail.webhook.command.PodComparison.Difference;
import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.workload.GroupPosition;
import dev.plainsail.webhook.workload.PodTemplate;
import dev.plainsail.webhook.workload.PodView;
import dev.plainsail.webhook.workload.WorkloadKind;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * What became of one workload's comparison.
 *
 * @param pods how many there are of its template as it is now
 * @param differing how many of them the next one would differ from
 */
record LiveState(
        WorkloadKind kind,
        String namespace,
        String name,
        Verdict verdict,
        int pods,
        int differing,
        List<Difference> differences,
        List<Problem> problems) {

    LiveState {
        differences = List.copyOf(differences);
        problems = List.copyOf(problems);
    }

    enum Verdict {
        SAME("same"),
        DIFFERS("would differ"),
        REFUSED("would be refused"),
        NO_POD("no pod yet");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /** @param pods those of the templates as they are now */
    static LiveState of(Forecast forecast, WorkloadKind kind, JsonNode workload, List<JsonNode> pods) {
        String namespace = workload.path("metadata").path("namespace").asString("");
        String name = workload.path("metadata").path("name").asString("");
        List<PodTemplate> templates = kind.templates(workload);
        Set<Problem> problems = new LinkedHashSet<>();
        Set<Difference> differences = new LinkedHashSet<>();
        for (PodTemplate template : templates) {
            for (GroupPosition position : Forecast.positions(template)) {
                if (forecast.next(kind, workload, template, position) instanceof Next.Refused refused) {
                    problems.addAll(refused.problems());
                }
            }
        }
        if (!problems.isEmpty()) {
            return new LiveState(
                    kind, namespace, name, Verdict.REFUSED, pods.size(), 0, List.of(), List.copyOf(problems));
        }
        int differing = 0;
        for (JsonNode pod : pods) {
            List<Difference> ofPod = differences(forecast, kind, workload, templates, pod);
            differing += ofPod.isEmpty() ? 0 : 1;
            differences.addAll(ofPod);
        }
        // Annotations that are still to be copied make new pods, whether there are any now or not.
        for (PodTemplate template : templates) {
            Forecast.pendingCopies(kind, workload, template)
                    .forEach(key -> differences.add(new Difference(List.of("metadata", "annotations", key), "", key)));
        }
        Verdict alike = pods.isEmpty() ? Verdict.NO_POD : Verdict.SAME;
        Verdict verdict = differences.isEmpty() ? alike : Verdict.DIFFERS;
        return new LiveState(
                kind, namespace, name, verdict, pods.size(), differing, List.copyOf(differences), List.of());
    }

    private static List<Difference> differences(
            Forecast forecast, WorkloadKind kind, JsonNode workload, List<PodTemplate> templates, JsonNode pod) {
        GroupPosition position = PodView.ofPod(pod).position();
        Optional<PodTemplate> template = Forecast.templateOf(templates, position);
        if (template.isEmpty()) {
            return List.of();
        }
        return forecast.next(kind, workload, template.get(), position) instanceof Next.Made made
                ? PodComparison.of(made, pod)
                : List.of();
    }
}
