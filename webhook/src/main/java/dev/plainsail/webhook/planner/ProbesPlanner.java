package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.Arguments;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Change.AddProbe.Kind;
import dev.plainsail.webhook.plan.Intent.Fill;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Startup and readiness, as the engine really serves them. No liveness: a busy engine is slow to answer, and a restart would
 * lose every running generation and the whole cache.
 */
final class ProbesPlanner implements Planner {

    private static final int STARTUP_PERIOD = 10;
    private static final int READINESS_PERIOD = 5;
    private static final int READINESS_FAILURES = 3;

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        if (!subject.intent().fill().contains(Fill.PROBES) || !serves(subject)) {
            return List.of();
        }
        ContainerView container = subject.main().orElseThrow();
        OptionalInt port = ServingPort.of(subject, subject.engine().orElseThrow());
        if (port.isEmpty()) {
            return List.of();
        }
        String scheme = isTls(subject) ? "HTTPS" : "HTTP";
        List<Change> changes = new ArrayList<>();
        if (!container.node().path("startupProbe").isObject()) {
            long seconds = subject.settings().fill().startupBudget().toSeconds();
            int failures = Math.toIntExact(Math.ceilDiv(seconds, STARTUP_PERIOD));
            changes.add(new Change.AddProbe(
                    container.place(), Kind.STARTUP, scheme, port.getAsInt(), STARTUP_PERIOD, failures));
        }
        if (!container.node().path("readinessProbe").isObject()) {
            changes.add(new Change.AddProbe(
                    container.place(), Kind.READINESS, scheme, port.getAsInt(), READINESS_PERIOD, READINESS_FAILURES));
        }
        return changes;
    }

    /** Whether an HTTP server can be expected, and its flags be seen. */
    private static boolean serves(Subject subject) {
        boolean isService =
                subject.main().filter(container -> !container.isInit()).isPresent()
                        && subject.engine().isPresent()
                        && !subject.pod().position().isWorker();
        String restartPolicy = Trees.text(subject.pod().spec(), "restartPolicy");
        boolean isAlways = restartPolicy.isEmpty() || restartPolicy.equals("Always");
        return isService
                && isAlways
                && subject.arguments()
                        .filter(words -> isVisible(words, subject))
                        .isPresent();
    }

    /** Flags that hide in a variable of the shell may move the port, unless it is said. */
    private static boolean isVisible(Arguments arguments, Subject subject) {
        boolean isPortSaid =
                arguments.has(EngineOption.PORT) || subject.intent().port().isPresent();
        return !arguments.has(EngineOption.HEADLESS) && (!arguments.hasOpaqueWord() || isPortSaid);
    }

    static boolean isTls(Subject subject) {
        return subject.arguments()
                .filter(words -> words.has(EngineOption.TLS_CERTIFICATE) || words.has(EngineOption.TLS_KEY))
                .isPresent();
    }
}
