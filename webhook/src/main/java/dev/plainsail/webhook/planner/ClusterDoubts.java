package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.plan.ClusterView;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.WorkloadKind;
import java.util.function.LongSupplier;
import tools.jackson.databind.JsonNode;

/** Warnings that need the cluster or the whole workload; never a change, never a refusal. */
public final class ClusterDoubts {

    private final ClusterView cluster;
    private final LongSupplier nanoTime;

    public ClusterDoubts(ClusterView cluster, LongSupplier nanoTime) {
        this.cluster = cluster;
        this.nanoTime = nanoTime;
    }

    /** @param deadlineNanos of {@link System#nanoTime()}'s scale; what is not found out by then is not said */
    public void look(
            Subject subject,
            WorkloadKind kind,
            String namespace,
            JsonNode workload,
            long deadlineNanos,
            Problems problems) {
        if (nanoTime.getAsLong() < deadlineNanos) {
            cluster.snapshot();
        }
    }
}
