package dev.plainsail.webhook;

import dev.plainsail.certs.UnusableKeyPairException;
import dev.plainsail.webhook.cluster.ClusterProblemException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code plainsail-webhook}: reads its settings, says all that is wrong with them, or serves until it is told to stop. */
public final class Main {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);
    private static final int CANNOT_RUN = 1;
    private static final int BAD_SETTINGS = 2;

    private Main() {}

    public static void main(String[] arguments) {
        int code = new CommandLine(spec())
                .setParameterExceptionHandler(Main::refuseArguments)
                .setExecutionStrategy(parsed -> run(parsed, System.getenv()))
                .execute(arguments);
        // Zero is returned after a stop that a signal asked for; then the JVM is on its way out already.
        if (code != 0) {
            System.exit(code);
        }
    }

    /** What {@code --help} prints. */
    static String help() {
        return new CommandLine(spec()).getUsageMessage(CommandLine.Help.Ansi.OFF);
    }

    private static CommandSpec spec() {
        CommandSpec spec = CommandSpec.create().name("plainsail-webhook").mixinStandardHelpOptions(true);
        spec.usageMessage()
                .description("Kubernetes admission webhook and claim-template controller of Plainsail.")
                .sortOptions(false);
        spec.version("plainsail-webhook "
                + Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                        .orElse("(built from source)"));
        spec.addOption(OptionSpec.builder("--config")
                .type(Path.class)
                .paramLabel("FILE")
                .description("YAML file with the settings below as keys; a flag wins over the file")
                .build());
        for (SettingsKey key : SettingsKey.values()) {
            String fallback = key.fallback().isEmpty() ? "" : " (default: " + key.shownDefault() + ")";
            spec.addOption(OptionSpec.builder("--" + key.key())
                    .type(String.class)
                    .paramLabel("VALUE")
                    .description(key.meaning() + fallback)
                    .build());
        }
        return spec;
    }

    private static int run(ParseResult parsed, Map<String, String> environment) {
        Integer help = CommandLine.executeHelpRequest(parsed);
        if (help != null) {
            return help;
        }
        Map<String, String> flags = new HashMap<>();
        for (SettingsKey key : SettingsKey.values()) {
            String value = parsed.matchedOptionValue("--" + key.key(), (String) null);
            if (value != null) {
                flags.put(key.key(), value);
            }
        }
        Optional<Path> file = Optional.ofNullable(parsed.matchedOptionValue("--config", (Path) null));
        return switch (SettingsFile.read(file, flags, environment)) {
            case Settings.Read.Refused(List<SettingsProblem> problems) -> refuse(problems);
            case Settings.Read.Accepted(Settings settings) -> serve(settings, environment);
        };
    }

    private static int refuseArguments(CommandLine.ParameterException e, String[] arguments) {
        System.err.println("plainsail-webhook does not start: " + e.getMessage());
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(
                e, new PrintWriter(System.err, true, StandardCharsets.UTF_8))) {
            System.err.println("  --help lists what there is");
        }
        return BAD_SETTINGS;
    }

    private static int refuse(List<SettingsProblem> problems) {
        System.err.println("plainsail-webhook does not start: " + problems.size()
                + (problems.size() == 1 ? " setting is wrong" : " settings are wrong"));
        problems.forEach(problem -> System.err.println("  " + problem.line()));
        return BAD_SETTINGS;
    }

    private static int serve(Settings settings, Map<String, String> environment) {
        Server server = new Server(settings, environment);
        try {
            server.start();
        } catch (ClusterProblemException | UnusableKeyPairException e) {
            System.err.println("plainsail-webhook does not start: " + e.getMessage());
            server.close();
            return CANNOT_RUN;
        } catch (InterruptedException e) {
            server.close();
            return CANNOT_RUN;
        } catch (RuntimeException e) {
            LOG.atError().setMessage("cannot start").setCause(e).log();
            server.close();
            return CANNOT_RUN;
        }
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.close();
            stopped.countDown();
        }));
        try {
            stopped.await();
        } catch (InterruptedException e) {
            server.close();
        }
        return 0;
    }
}
