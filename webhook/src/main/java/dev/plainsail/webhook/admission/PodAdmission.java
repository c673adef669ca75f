package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.admission.Decision.Why;
import dev.plainsail.webhook.patch.PodPatch;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Annotations.Input;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.plan.PodPlan;
import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.SubjectReader;
import dev.plainsail.webhook.plan.Written;
import dev.plainsail.webhook.planner.Planners;
import dev.plainsail.webhook.workload.PodView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.node.ArrayNode;

/** Pods: where injection happens, at CREATE only. */
final class PodAdmission {

    private static final String MIRROR = "kubernetes.io/config.mirror";

    private final InjectionSettings settings;
    private final Planners planners;

    PodAdmission(InjectionSettings settings, Planners planners) {
        this.settings = settings;
        this.planners = planners;
    }

    Decision decide(Review review) {
        PodView pod = PodView.ofPod(review.object());
        Map<String, String> annotations = pod.annotations();
        if (annotations.containsKey(MIRROR)) {
            return unchanged(Why.MIRROR_POD);
        }
        List<Problem> notTexts =
                Copying.notTexts(review.object().path("metadata").path("annotations"), "");
        Map<String, Written> written = Copying.written(annotations, Set.of(), "");
        if (written.isEmpty() && notTexts.isEmpty()) {
            return unchanged(Why.NOT_ANNOTATED);
        }
        if (isSwitchedOff(annotations)) {
            return unchanged(Why.SWITCHED_OFF);
        }
        List<Problem> shapes = PodShape.problems(review.object(), "");
        if (!shapes.isEmpty()) {
            return new Decision.Denied(shapes, List.of());
        }
        Problems problems = new Problems("");
        notTexts.forEach(problems::add);
        Subject subject = SubjectReader.read(pod, written, settings, problems);
        PodPlan plan = planners.plan(subject, problems);
        if (!problems.isClean()) {
            return new Decision.Denied(problems.problems(), problems.warnings());
        }
        PodPatch patch = PodPatch.of(review.object(), plan);
        Optional<Problem> tooMuch = AnnotationsSize.problem(patch.result(), "");
        if (tooMuch.isPresent()) {
            return new Decision.Denied(List.of(tooMuch.get()), problems.warnings());
        }
        ArrayNode operations = patch.operations();
        return operations.isEmpty()
                ? new Decision.Unchanged(Why.NOTHING_TO_DO, problems.warnings())
                : new Decision.Patched(operations, plan.text(), plan.template(), problems.warnings());
    }

    static boolean isSwitchedOff(Map<String, String> annotations) {
        return annotations.getOrDefault(Input.INJECT.key(), "").trim().equals("false");
    }

    private static Decision unchanged(Why why) {
        return new Decision.Unchanged(why, List.of());
    }

    static boolean asks(Map<String, String> annotations) {
        return annotations.keySet().stream().anyMatch(Annotations::isOurs);
    }
}
