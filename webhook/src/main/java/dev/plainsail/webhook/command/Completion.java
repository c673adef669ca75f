package dev.plainsail.webhook.command;

import java.io.PrintWriter;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code plainsail completion}: a script for the user's shell. */
@Command(
        name = "completion",
        mixinStandardHelpOptions = true,
        description =
                "Prints a completion script: source <(plainsail completion bash), or plainsail completion fish | source.")
final class Completion implements Callable<Integer> {

    enum Shell {
        bash,
        zsh,
        fish
    }

    @Spec
    private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "One of: ${COMPLETION-CANDIDATES}.")
    private @Nullable Shell shell;

    @Override
    public Integer call() {
        CommandLine root =
                Objects.requireNonNull(Objects.requireNonNull(spec).parent()).commandLine();
        PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
        switch (Objects.requireNonNull(shell)) {
            // picocli's script loads zsh's own support for bash completions.
            case bash, zsh -> out.print(AutoComplete.bash("plainsail", root));
            case fish -> fish(out, root);
        }
        out.flush();
        return 0;
    }

    private static void fish(PrintWriter out, CommandLine root) {
        root.getSubcommands().forEach((name, command) -> {
            out.println("complete -c plainsail -n __fish_use_subcommand -f -a " + name + " -d "
                    + quoted(command.getCommandSpec()));
            for (OptionSpec option : command.getCommandSpec().options()) {
                StringBuilder line =
                        new StringBuilder("complete -c plainsail -n '__fish_seen_subcommand_from " + name + "'");
                for (String spelling : option.names()) {
                    line.append(
                            spelling.startsWith("--")
                                    ? " -l " + spelling.substring(2)
                                    : " -s " + spelling.substring(1));
                }
                out.println(line.append(option.arity().max() > 0 ? " -r" : ""));
            }
        });
    }

    private static String quoted(CommandSpec command) {
        String text = String.join(" ", command.usageMessage().description());
        int end = text.indexOf(". ");
        return "'" + (end < 0 ? text : text.substring(0, end)).replace("'", "\\'") + "'";
    }
}
