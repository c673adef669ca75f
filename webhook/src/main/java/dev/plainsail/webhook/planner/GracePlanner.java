package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.InjectionSettings.FillSettings;
import dev.plainsail.webhook.plan.Intent.Fill;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.Trees;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Time for running generations to end: a pause before SIGTERM, so that routers notice, and a longer grace. */
final class GracePlanner implements Planner {

    /** The API server fills this in before we see the pod, so it cannot be told from a user's 30. */
    private static final int API_DEFAULT = 30;

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        if (!subject.intent().fill().contains(Fill.GRACE)) {
            return List.of();
        }
        FillSettings fill = subject.settings().fill();
        List<Change> changes = new ArrayList<>();
        JsonNode grace = subject.pod().spec().path("terminationGracePeriodSeconds");
        long seconds = Trees.whole(grace).orElse(API_DEFAULT);
        if (seconds == API_DEFAULT && fill.grace().toSeconds() > seconds) {
            seconds = fill.grace().toSeconds();
            changes.add(new Change.SetGrace(seconds));
        }
        // The API server refuses a pause that is longer than the grace.
        if (fill.preStopSleep().toSeconds() >= seconds) {
            return changes;
        }
        subject.main()
                .filter(container -> subject.engine().isPresent() && !container.isInit())
                .filter(container ->
                        !container.node().path("lifecycle").path("preStop").isObject())
                .map(ContainerView::place)
                .ifPresent(place -> changes.add(
                        new Change.AddPreStopSleep(place, fill.preStopSleep().toSeconds())));
        return changes;
    }
}
