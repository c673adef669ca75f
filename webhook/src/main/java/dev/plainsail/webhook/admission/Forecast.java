package dev.plainsail.webhook.admission;

import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.patch.PatchWriter;
import dev.plainsail.webhook.patch.PodPatch;
import dev.plainsail.webhook.plan.InjectionSettings;
import dev.plainsail.webhook.plan.PodPlan;
import dev.plainsail.webhook.plan.Problem;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.SubjectReader;
import dev.plainsail.webhook.planner.Planners;
import dev.plainsail.webhook.workload.GroupPosition;
import dev.plainsail.webhook.workload.PodTemplate;
import dev.plainsail.webhook.workload.PodView;
import dev.plainsail.webhook.workload.Trees;
import dev.plainsail.webhook.workload.WorkloadKind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * What the next pods of a workload in a cluster would be, by this program and these settings. Any thread.
 */
public final class Forecast {

    private final InjectionSettings settings;
    private final Planners planners;

    /** The next pod of a template. */
    public sealed interface Next {
        record Refused(List<Problem> problems) implements Next {
            public Refused {
                problems = List.copyOf(problems);
            }
        }

        /**
         * @param template with our annotations, nothing injected
         * @param pod the same, injected
         * @param plan text of its plan annotation; empty if nothing is injected
         */
        record Made(JsonNode template, JsonNode pod, String plan) implements Next {}
    }

    public Forecast(InjectionSettings settings) {
        this.settings = settings;
        this.planners = new Planners(new DeviceExpressions());
    }

    /** Whether something is asked for it, and its templates are not the copies that another workload makes. */
    public static boolean concerns(WorkloadKind kind, JsonNode workload) {
        return !WorkloadAdmission.isOwned(workload)
                && (PodAdmission.asks(annotations(workload))
                        || kind.templates(workload).stream()
                                .anyMatch(template -> PodAdmission.asks(annotations(template.node()))));
    }

    /** Keys of the template's annotations that the next write of the workload would change, and so make new pods. */
    public static Set<String> pendingCopies(WorkloadKind kind, JsonNode workload, PodTemplate template) {
        return copying(kind, workload, template).changes().keySet();
    }

    /** The template of a Job that exists never changes. */
    private static Copying copying(WorkloadKind kind, JsonNode workload, PodTemplate template) {
        return kind == WorkloadKind.JOB ? Copying.none(template) : Copying.of(annotations(workload), template);
    }

    /** Every position that pods of this template may have; an "either" template serves two. */
    public static List<GroupPosition> positions(PodTemplate template) {
        return WorkloadAdmission.positions(template);
    }

    public Next next(WorkloadKind kind, JsonNode workload, PodTemplate template, GroupPosition position) {
        Copying copying = copying(kind, workload, template);
        PatchWriter writer = new PatchWriter(workload);
        WorkloadAdmission.write(writer, template, copying);
        JsonNode before = writer.at(template.path());
        if (copying.written().isEmpty() || PodAdmission.isSwitchedOff(copying.annotations())) {
            return new Next.Made(before, before, "");
        }
        Problems problems = new Problems(template.prefix());
        PodView pod = PodView.ofTemplate(template, copying.annotations(), position);
        PodPlan plan = planners.plan(SubjectReader.read(pod, copying.written(), settings, problems), problems);
        if (!problems.isClean()) {
            return new Next.Refused(problems.problems());
        }
        JsonNode after = PodPatch.of(before, plan).result();
        return AnnotationsSize.problem(after, template.prefix())
                .<Next>map(problem -> new Next.Refused(List.of(problem)))
                .orElseGet(() -> new Next.Made(before, after, plan.isEmpty() ? "" : plan.text()));
    }

    /** Which of the templates a pod of the workload comes from. */
    public static Optional<PodTemplate> templateOf(List<PodTemplate> templates, GroupPosition position) {
        if (templates.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(position.isWorker() ? templates.getLast() : templates.getFirst());
    }

    private static Map<String, String> annotations(JsonNode object) {
        return Trees.textMap(object.path("metadata").path("annotations"));
    }
}
