package dev.plainsail.webhook.planner;

import dev.plainsail.dra.cel.DeviceExpressions;
import dev.plainsail.webhook.plan.Annotations;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.PodPlan;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.ContainerView;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Every planner, in the order in which their changes are made. To inject a new thing, add its planner here. */
public final class Planners {

    private final List<Planner> all;

    /** Of these alone, in this order. */
    public Planners(List<Planner> all) {
        this.all = List.copyOf(all);
    }

    /** @param expressions may be shared; it keeps what it compiled */
    public Planners(DeviceExpressions expressions) {
        all = List.of(
                new LabelsPlanner(),
                new DevicesPlanner(),
                new SelectorsPlanner(expressions),
                new EngineArgumentsPlanner(),
                new LibraryPathPlanner(),
                new SharedMemoryPlanner(),
                new ProbesPlanner(),
                new GracePlanner(),
                new ServiceLinksPlanner(),
                new HostIpPlanner(),
                new DoubtsPlanner());
    }

    /** The whole plan of one pod. When there are problems, the plan is what it would be without them, and nobody should use it. */
    public PodPlan plan(Subject subject, Problems problems) {
        // Two planners may want the same variable.
        Set<Change> changes = new LinkedHashSet<>();
        all.forEach(planner -> changes.addAll(planner.plan(subject, problems)));
        PodPlan plan = new PodPlan(
                subject.main().map(ContainerView::name).orElse(""),
                subject.engine().map(engine -> engine.name()).orElse(""),
                List.copyOf(changes));
        if (plan.isEmpty() || subject.pod().annotations().containsKey(Annotations.PLAN)) {
            return plan;
        }
        List<Change> noted = new ArrayList<>(changes);
        noted.add(new Change.SetAnnotation(Annotations.PLAN, plan.text()));
        return new PodPlan(plan.container(), plan.engine(), noted);
    }
}
