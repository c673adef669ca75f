package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.Engines;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.Trees;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Changes nothing; says what looks wrong in the user's own manifest. */
final class DoubtsPlanner implements Planner {

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        probes(subject, problems);
        twoEngines(subject, problems);
        boolean hasClaim = subject.intent().devices().isPresent()
                || subject.intent().claim().isPresent();
        if (hasClaim && Trees.text(subject.pod().spec(), "runtimeClassName").equals("nvidia")) {
            problems.warnField(
                    Caution.NVIDIA_RUNTIME_CLASS,
                    "spec.runtimeClassName",
                    "nvidia is for the device plugin and may show the pod every GPU of the node; a claim does not need it, so remove it");
        }
        return List.of();
    }

    private static void probes(Subject subject, Problems problems) {
        if (subject.main().isEmpty() || subject.arguments().isEmpty()) {
            return;
        }
        boolean isTls = ProbesPlanner.isTls(subject);
        ContainerView container = subject.main().get();
        for (String field : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
            JsonNode get = container.node().path(field).path("httpGet");
            boolean isHttps = Trees.text(get, "scheme").equals("HTTPS");
            if (get.isObject() && isHttps != isTls) {
                problems.warnField(
                        Caution.PROBE_SCHEME,
                        container.path() + "." + field + ".httpGet.scheme",
                        isHttps
                                ? "is HTTPS, but the engine has no --ssl-certfile and serves HTTP; the probe will fail"
                                : "is HTTP, but the engine has --ssl-certfile and serves HTTPS; the probe will fail");
            }
        }
    }

    private static void twoEngines(Subject subject, Problems problems) {
        List<String> engines = subject.pod().everyContainer().stream()
                .filter(container -> Engines.find(container, subject.settings().knownImages())
                        .isPresent())
                .map(ContainerView::name)
                .toList();
        if (engines.size() > 1 && subject.main().isPresent()) {
            problems.warnField(
                    Caution.TWO_ENGINES,
                    "spec.containers",
                    engines.stream().collect(Collectors.joining(", ")) + " all run an engine; only "
                            + subject.main().get().name() + " is wired");
        }
    }
}
