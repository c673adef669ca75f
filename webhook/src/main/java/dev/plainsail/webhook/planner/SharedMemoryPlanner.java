package dev.plainsail.webhook.planner;

import dev.plainsail.dra.Quantity;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Intent.Fill;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.Trees;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * {@code /dev/shm}: the runtime's 64 MiB are too little for several processes of one engine. The volume's pages count against
 * the container's memory limit, so it gets half of that at most.
 */
final class SharedMemoryPlanner implements Planner {

    private static final String PATH = "/dev/shm";
    private static final String VOLUME = "plainsail-shm";
    private static final BigDecimal GIBI = BigDecimal.valueOf(1L << 30);

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        if (subject.main().isEmpty()
                || subject.engine().isEmpty()
                || subject.pod().flag("hostIPC")) {
            return List.of();
        }
        boolean isParallel =
                Spread.of(subject).filter(spread -> spread.tensor() > 1).isPresent();
        boolean isWanted = (subject.intent().fill().contains(Fill.SHM) && isParallel)
                || subject.intent().kvTransfer().isPresent();
        ContainerView container = subject.main().get();
        if (!isWanted || hasMount(container)) {
            return List.of();
        }
        return List.of(
                new Change.AddSharedMemory(container.place(), volume(subject), size(subject, container, problems)));
    }

    /** Ours, or a further name if the user has something else under it. */
    private static String volume(Subject subject) {
        String name = VOLUME;
        for (int i = 1; isTaken(subject, name); i++) {
            name = VOLUME + "-" + i;
        }
        return name;
    }

    private static boolean isTaken(Subject subject, String name) {
        return subject.pod()
                .spec()
                .path("volumes")
                .valueStream()
                .filter(volume -> Trees.text(volume, "name").equals(name))
                .anyMatch(
                        volume -> !Trees.text(volume.path("emptyDir"), "medium").equals("Memory"));
    }

    private static boolean hasMount(ContainerView container) {
        return container
                .node()
                .path("volumeMounts")
                .valueStream()
                .map(mount -> Trees.text(mount, "mountPath"))
                .anyMatch(path -> path.equals(PATH) || path.equals(PATH + "/"));
    }

    private static Quantity size(Subject subject, ContainerView container, Problems problems) {
        Quantity wanted = subject.settings().fill().shm();
        JsonNode limit = container.node().path("resources").path("limits").path("memory");
        Optional<BigDecimal> half = Optional.of(limit.isString() ? limit.stringValue() : limit.toString())
                .flatMap(Quantity::parse)
                .map(quantity -> quantity.value().divide(BigDecimal.TWO, 0, RoundingMode.DOWN));
        if (half.isEmpty() || half.get().compareTo(wanted.value()) >= 0) {
            return wanted;
        }
        if (half.get().compareTo(GIBI) < 0) {
            problems.warnField(
                    Caution.SHM_LIMITED,
                    container.path() + ".resources.limits[memory]",
                    "leaves less than 1Gi of shared memory for tensor parallelism; raise it");
        }
        // whole MiB, so that the quantity reads well
        BigDecimal mebi = BigDecimal.valueOf(1L << 20);
        BigDecimal whole =
                half.get().divideToIntegralValue(mebi).max(BigDecimal.ONE).multiply(mebi);
        return new Quantity(whole, Quantity.Format.BINARY_SI);
    }
}
