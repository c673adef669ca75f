package dev.plainsail.webhook.command;

import dev.plainsail.webhook.admission.Renderer;
import dev.plainsail.webhook.admission.Renderer.Rendered;
import dev.plainsail.webhook.cluster.ClusterProblemException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code plainsail diff}: what would be added to each manifest, line by line, or what would change in a cluster. */
@Command(
        name = "diff",
        mixinStandardHelpOptions = true,
        description =
                "Shows what Plainsail would change in manifests, or, with --live, for which workloads of a cluster the next pod would"
                        + " differ from those that run. Exits with 0 if nothing, 1 if something, 2 if anything would be refused.")
final class Diff implements Callable<Integer> {

    private static final String RED = "\u001b[31m";
    private static final String GREEN = "\u001b[32m";
    private static final String RESET = "\u001b[0m";

    @ParentCommand
    private @Nullable Plainsail parent;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private ManifestOptions manifests = new ManifestOptions();

    @Option(names = "--color", negatable = true, description = "Colour the lines; by default on a terminal.")
    private @Nullable Boolean color;

    @ArgGroup(exclusive = false, heading = "Over a kubeconfig, with no manifests:%n")
    private @Nullable LiveDiff live;

    @Override
    public Integer call() throws IOException, ClusterProblemException {
        CommandLine command = Objects.requireNonNull(spec).commandLine();
        if (live == null || !live.isAsked()) {
            if (!manifests.hasFiles()) {
                throw new ParameterException(
                        command, "write -f FILE for manifests, or --live for what runs in a cluster");
            }
            return files(command);
        }
        if (manifests.hasFiles()) {
            throw new ParameterException(command, "write either -f or --live");
        }
        return live.run(manifests.settings(), Version.text(), command.getOut(), command.getErr());
    }

    private int files(CommandLine command) throws IOException {
        Plainsail plainsail = Objects.requireNonNull(parent);
        PrintWriter out = command.getOut();
        PrintWriter err = command.getErr();
        boolean isColoured = color == null ? plainsail.isTerminal() : color;
        Renderer renderer = new Renderer(manifests.settings());
        int code = 0;
        for (ManifestOptions.Document document : manifests.documents(command, plainsail.in())) {
            Rendered rendered = renderer.render(document.object());
            Report.print(err, document.source(), document.object(), rendered);
            if (!rendered.problems().isEmpty()) {
                code = Plainsail.WRONG;
                continue;
            }
            List<String> lines = LineDiff.of(
                    Manifests.yaml(document.object()).lines().toList(),
                    Manifests.yaml(rendered.object()).lines().toList());
            if (!lines.isEmpty()) {
                code = Math.max(code, Plainsail.DIFFERENT);
                out.println("--- " + Manifests.title(document.object()));
                out.println("+++ as Plainsail makes it");
                lines.forEach(line -> out.println(isColoured ? coloured(line) : line));
            }
            rendered.templates().forEach(template -> out.println("+ " + Manifests.title(template) + " is made"));
        }
        out.flush();
        return code;
    }

    private static String coloured(String line) {
        if (line.startsWith("+")) {
            return GREEN + line + RESET;
        }
        return line.startsWith("-") ? RED + line + RESET : line;
    }
}
