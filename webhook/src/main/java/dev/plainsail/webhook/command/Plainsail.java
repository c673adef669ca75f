package dev.plainsail.webhook.command;

import java.io.Console;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The command {@code plainsail}. Exit codes as those of kubectl diff: 0 done, 1 differences found, 2 something is wrong. */
@Command(
        name = "plainsail",
        description = "Shows what Plainsail makes of manifests, and what an upgrade would change in a cluster.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {Render.class, Diff.class, Completion.class})
public final class Plainsail {

    static final int DIFFERENT = 1;
    static final int WRONG = 2;

    private final InputStream in;
    private final boolean isTerminal;

    private Plainsail(InputStream in, boolean isTerminal) {
        this.in = in;
        this.isTerminal = isTerminal;
    }

    public static void main(String[] arguments) {
        // Before anything logs: standard output is the result's alone.
        System.setProperty("plainsail.log", "System.err");
        PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        boolean isTerminal = Optional.ofNullable(System.console())
                        .filter(Console::isTerminal)
                        .isPresent()
                && System.getenv("NO_COLOR") == null;
        int code = commandLine(System.in, out, err, isTerminal).execute(arguments);
        out.flush();
        System.exit(code);
    }

    static CommandLine commandLine(InputStream in, PrintWriter out, PrintWriter err, boolean isTerminal) {
        CommandLine line = new CommandLine(new Plainsail(in, isTerminal))
                .setOut(out)
                .setErr(err)
                .setParameterExceptionHandler(Plainsail::refuse)
                .setExecutionExceptionHandler((e, command, parsed) -> {
                    command.getErr().println("plainsail: " + e.getMessage());
                    return WRONG;
                });
        line.setUsageHelpAutoWidth(true);
        return line;
    }

    InputStream in() {
        return in;
    }

    boolean isTerminal() {
        return isTerminal;
    }

    private static int refuse(ParameterException e, String[] arguments) {
        PrintWriter err = e.getCommandLine().getErr();
        err.println("plainsail: " + e.getMessage());
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, err)) {
            err.println("Run '" + e.getCommandLine().getCommandSpec().qualifiedName() + " --help' for what there is.");
        }
        return WRONG;
    }
}
