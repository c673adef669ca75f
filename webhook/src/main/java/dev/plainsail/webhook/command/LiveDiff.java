package dev.plainsail.webhook.command;

import dev.plainsail.webhook.admission.Forecast;
import dev.plainsail.webhook.cluster.ClusterProblemException;
import dev.plainsail.webhook.cluster.Kubeconfig;
import dev.plainsail.webhook.cluster.LiveWorkloads;
import dev.plainsail.webhook.cluster.LiveWorkloads.Found;
import dev.plainsail.webhook.plan.InjectionSettings;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code plainsail diff --live}: which workloads of a cluster would get other pods from this program and these settings. */
final class LiveDiff {

    enum Format {
        table,
        json,
        yaml
    }

    @Option(
            names = "--live",
            required = true,
            description = "Compare the pods of a cluster with the ones that this program would make now.")
    private boolean live;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "By default as kubectl: KUBECONFIG, ~/.kube/config.")
    private @Nullable Path kubeconfig;

    @Option(names = "--context", paramLabel = "NAME", description = "By default the current one.")
    private @Nullable String context;

    @Option(
            names = {"-n", "--namespace"},
            paramLabel = "NAME",
            description = "By default the one of the context.")
    private @Nullable String namespace;

    @Option(
            names = {"-A", "--all-namespaces"},
            description = "Workloads of every namespace.")
    private boolean isEverywhere;

    @Option(
            names = "--chunk-size",
            paramLabel = "N",
            defaultValue = "500",
            description = "Long lists are read in pieces of so many objects (default: 500).")
    private int chunkSize = 500;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "One of: ${COMPLETION-CANDIDATES} (default: table).")
    private Format format = Format.table;

    /** @return the exit code, as of {@code diff} for files */
    int run(InjectionSettings settings, String version, PrintWriter out, PrintWriter err)
            throws ClusterProblemException {
        List<LiveState> states = new ArrayList<>();
        String where;
        try (LiveWorkloads cluster = LiveWorkloads.connect(
                new Kubeconfig(Optional.ofNullable(kubeconfig), Optional.ofNullable(context)),
                Math.max(1, chunkSize))) {
            Optional<String> in =
                    isEverywhere ? Optional.empty() : Optional.of(namespace == null ? cluster.namespace() : namespace);
            where = in.map(name -> "namespace " + name).orElse("any namespace");
            Forecast forecast = new Forecast(settings);
            for (Found found : cluster.list(in, Forecast::concerns)) {
                states.add(LiveState.of(forecast, found.kind(), found.object(), cluster.currentPods(found)));
            }
        }
        states.sort(Comparator.comparing(LiveState::namespace)
                .thenComparing(LiveState::kind)
                .thenComparing(LiveState::name));
        if (format != Format.table) {
            LiveReport.print(out, states, version, format == Format.yaml);
        } else if (states.isEmpty()) {
            err.println("No annotated workloads found in " + where + ".");
        } else {
            LiveReport.table(out, states);
        }
        return states.stream().mapToInt(LiveDiff::code).max().orElse(0);
    }

    private static int code(LiveState state) {
        return switch (state.verdict()) {
            case SAME, NO_POD -> 0;
            case DIFFERS -> Plainsail.DIFFERENT;
            case REFUSED -> Plainsail.WRONG;
        };
    }

    boolean isAsked() {
        return live;
    }
}
