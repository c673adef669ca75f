package dev.plainsail.webhook.admission;

import dev.plainsail.webhook.admission.Decision.Why;
import dev.plainsail.webhook.patch.PatchWriter;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.SubjectReader;
import dev.plainsail.webhook.plan.Warning;
import dev.plainsail.webhook.planner.ClusterDoubts;
import dev.plainsail.webhook.planner.Planners;
import dev.plainsail.webhook.workload.GroupPosition;
import dev.plainsail.webhook.workload.PodTemplate;
import dev.plainsail.webhook.workload.PodView;
import dev.plainsail.webhook.workload.Trees;
import dev.plainsail.webhook.workload.WorkloadKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/**
 * Workloads: annotations are copied to the template, and nothing else is changed; the template is planned as the pod that it
 * will become, because nobody sees the problems of pods that controllers make.
 */
final class WorkloadAdmission {

    private static final Set<String> OWNERS =
            Set.of("Deployment", "StatefulSet", "DaemonSet", "CronJob", "LeaderWorkerSet", "Pod");

    private final InjectionSettings settings;
    private final Planners planners;
    private final ClusterDoubts doubts;

    WorkloadAdmission(InjectionSettings settings, Planners planners, ClusterDoubts doubts) {
        this.settings = settings;
        this.planners = planners;
        this.doubts = doubts;
    }

    /** One template, planned. */
    private record Planned(PodTemplate template, Copying copying, Set<Problem> problems, Set<Warning> warnings) {}

    Decision decide(Review review, WorkloadKind kind, long deadlineNanos) {
        if (isOwned(review.object())) {
            return new Decision.Unchanged(Why.OWNED, List.of());
        }
        List<Problem> shapes = wrongShapes(review.object(), kind);
        if (!shapes.isEmpty()) {
            return new Decision.Denied(shapes, List.of());
        }
        List<Problem> notTexts = new ArrayList<>(
                Copying.notTexts(review.object().path("metadata").path("annotations"), ""));
        kind.templates(review.object())
                .forEach(template -> notTexts.addAll(
                        Copying.notTexts(template.node().path("metadata").path("annotations"), template.prefix())));
        List<Planned> planned = plan(kind, review.object(), review.namespace(), deadlineNanos);
        boolean isAsked = PodAdmission.asks(annotations(review.object()))
                || planned.stream()
                        .anyMatch(one -> PodAdmission.asks(one.copying().annotations()));
        PatchWriter writer = new PatchWriter(review.object());
        planned.forEach(one -> write(writer, one.template(), one.copying()));
        Set<Problem> problems = new LinkedHashSet<>(notTexts);
        planned.forEach(one -> AnnotationsSize.problem(
                        writer.at(one.template().path()), one.template().prefix())
                .ifPresent(problems::add));
        Set<Warning> warnings = new LinkedHashSet<>();
        planned.forEach(one -> {
            problems.addAll(one.problems());
            warnings.addAll(one.warnings());
        });
        if (!problems.isEmpty() && review.isUpdate() && isAsBefore(kind, review, planned)) {
            problems.forEach(problem -> warnings.add(new Warning(
                    Caution.STILL_WRONG,
                    problem.path(),
                    problem.message() + " (accepted, because it was there before)")));
            problems.clear();
        }
        if (!problems.isEmpty()) {
            return new Decision.Denied(List.copyOf(problems), List.copyOf(warnings));
        }
        if (!writer.operations().isEmpty()) {
            return new Decision.Patched(writer.operations(), "", "", List.copyOf(warnings));
        }
        return new Decision.Unchanged(isAsked ? Why.NOTHING_TO_DO : Why.NOT_ANNOTATED, List.copyOf(warnings));
    }

    /** None of an object that asks for nothing: what it holds is nobody's business here. */
    private static List<Problem> wrongShapes(JsonNode object, WorkloadKind kind) {
        List<Problem> shapes = new ArrayList<>(PodShape.ofMetadata(object));
        boolean isAsked = PodAdmission.asks(annotations(object));
        for (PodTemplate template : kind.templates(object)) {
            shapes.addAll(PodShape.problems(template.node(), template.prefix()));
            isAsked |= PodAdmission.asks(annotations(template.node()));
        }
        return isAsked ? shapes : List.of();
    }

    static boolean isOwned(JsonNode object) {
        return object.path("metadata")
                .path("ownerReferences")
                .valueStream()
                .anyMatch(owner ->
                        owner.path("controller").asBoolean(false) && OWNERS.contains(Trees.text(owner, "kind")));
    }

    private static Map<String, String> annotations(JsonNode object) {
        return Trees.textMap(object.path("metadata").path("annotations"));
    }

    private List<Planned> plan(WorkloadKind kind, JsonNode object, String namespace, long deadlineNanos) {
        List<Planned> result = new ArrayList<>();
        Map<String, String> metadata = annotations(object);
        for (PodTemplate template : kind.templates(object)) {
            Copying copying = Copying.of(metadata, template);
            Set<Problem> problems = new LinkedHashSet<>();
            Set<Warning> warnings = new LinkedHashSet<>(copying.warnings());
            boolean isPlanned = !copying.written().isEmpty() && !PodAdmission.isSwitchedOff(copying.annotations());
            if (isPlanned) {
                for (GroupPosition position : positions(template)) {
                    Problems found = new Problems(template.prefix());
                    PodView pod = PodView.ofTemplate(template, copying.annotations(), position);
                    Subject subject = SubjectReader.read(pod, copying.written(), settings, found);
                    planners.plan(subject, found);
                    if (found.isClean()) {
                        doubts.look(subject, new ClusterView.Rollout(kind, namespace, object), deadlineNanos, found);
                    }
                    problems.addAll(found.problems());
                    warnings.addAll(found.warnings());
                }
            }
            result.add(new Planned(template, copying, problems, warnings));
        }
        return result;
    }

    /** A template that serves leader and workers is planned as both. */
    static List<GroupPosition> positions(PodTemplate template) {
        GroupPosition position = template.position();
        return position.index().isPresent()
                ? List.of(position)
                : List.of(
                        new GroupPosition(position.size(), OptionalInt.of(0)),
                        new GroupPosition(position.size(), OptionalInt.of(1)));
    }

    static void write(PatchWriter writer, PodTemplate template, Copying copying) {
        List<String> path = PatchWriter.child(template.path(), "metadata", "annotations");
        copying.changes().forEach((key, value) -> {
            List<String> target = PatchWriter.child(path, key);
            value.ifPresentOrElse(text -> writer.put(target, StringNode.valueOf(text)), () -> writer.remove(target));
        });
    }

    /** Annotations and templates are what an accepted object had already, so its next write must pass, too. */
    private static boolean isAsBefore(WorkloadKind kind, Review review, List<Planned> planned) {
        Map<String, String> before = annotations(review.oldObject());
        List<PodTemplate> templates = kind.templates(review.oldObject());
        if (templates.size() != planned.size() || !ours(before).equals(ours(annotations(review.object())))) {
            return false;
        }
        for (int i = 0; i < templates.size(); i++) {
            PodTemplate template = templates.get(i);
            boolean isSameSpec = template.node()
                            .path("spec")
                            .equals(planned.get(i).template().node().path("spec"))
                    && template.node()
                            .path("metadata")
                            .path("labels")
                            .equals(planned.get(i)
                                    .template()
                                    .node()
                                    .path("metadata")
                                    .path("labels"));
            Map<String, String> own = Copying.of(before, template).annotations();
            if (!isSameSpec || !ours(own).equals(ours(planned.get(i).copying().annotations()))) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, String> ours(Map<String, String> annotations) {
        Map<String, String> result = new java.util.TreeMap<>(annotations);
        result.keySet().removeIf(key -> !Annotations.isOurs(key));
        return result;
    }
}
