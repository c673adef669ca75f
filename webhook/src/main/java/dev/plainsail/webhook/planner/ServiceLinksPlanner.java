package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Intent.Fill;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import java.util.List;

/**
 * Variables that Kubernetes makes of Services: one called {@code vllm} gives VLLM_PORT=tcp://..., which the engine takes for
 * its own. The API server fills in true before we see the pod, so only the word in {@code fill} can decide.
 */
final class ServiceLinksPlanner implements Planner {

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        boolean isOff = !subject.pod().spec().path("enableServiceLinks").asBoolean(true);
        return !subject.intent().fill().contains(Fill.SERVICE_LINKS) || isOff
                ? List.of()
                : List.of(new Change.SwitchOffServiceLinks());
    }
}
