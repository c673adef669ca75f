package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import java.util.ArrayList;
import java.util.List;

/** The labels by which the picker and llm-d find a pod. */
final class LabelsPlanner implements Planner {

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        List<Change> changes = new ArrayList<>();
        if (!subject.pod().position().isWorker()) {
            subject.intent()
                    .pool()
                    .ifPresent(asked ->
                            label(subject, problems, Annotations.POOL_LABEL, asked.value(), asked.written(), changes));
        }
        subject.intent()
                .role()
                .ifPresent((Asked<dev.plainsail.webhook.plan.Intent.Role> asked) -> label(
                        subject, problems, Annotations.ROLE_LABEL, asked.value().word(), asked.written(), changes));
        return changes;
    }

    private static void label(
            Subject subject, Problems problems, String key, String value, Written written, List<Change> changes) {
        String own = subject.pod().labels().get(key);
        if (own == null) {
            changes.add(new Change.SetLabel(key, value));
        } else if (!own.equals(value)) {
            problems.refuse(
                    Reason.CONTRADICTS_LABEL,
                    written,
                    "but the pod has the label " + key + ": " + own + "; make them equal or remove one");
        }
    }
}
