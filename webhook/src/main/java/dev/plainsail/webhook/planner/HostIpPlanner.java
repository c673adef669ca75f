package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Change.AddVariable;
import dev.plainsail.webhook.plan.Intent.Fill;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.ContainerView;
import java.util.ArrayList;
import java.util.List;

/** The address under which other pods reach this one, for engines that would otherwise guess among interfaces. */
final class HostIpPlanner implements Planner {

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        if (!subject.intent().fill().contains(Fill.HOST_IP)
                || subject.main().isEmpty()
                || subject.engine().isEmpty()) {
            return List.of();
        }
        ContainerView container = subject.main().get();
        List<Change> changes = new ArrayList<>();
        List<String> names = subject.isEngine("vllm") ? List.of("VLLM_HOST_IP", "POD_IP") : List.of("POD_IP");
        names.stream()
                .filter(name -> container.variable(name).isEmpty())
                .forEach(name -> changes.add(
                        new AddVariable(container.place(), name, new AddVariable.Value.Field("status.podIP"))));
        return changes;
    }
}
