package dev.plainsail.epp;

import dev.plainsail.certs.UnusableKeyPairException;
import dev.plainsail.epp.configuration.PickerConfiguration;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the picker: reads the settings, wires the parts, waits for the signal to stop, drains. */
public final class Main {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);
    private static final int USAGE = 2;

    private Main() {}

    public static void main(String[] arguments) {
        Flags.Result read = Flags.read(
                arguments,
                System.getenv(),
                Runtime.getRuntime().availableProcessors(),
                Runtime.getRuntime().maxMemory());
        switch (read) {
            case Flags.Result.Text(String text) -> System.out.print(text);
            case Flags.Result.Invalid invalid -> refuse(invalid.problems());
            case Flags.Result.Valid(Settings settings) -> configure(settings);
        }
    }

    private static void configure(Settings settings) {
        String text = settings.configText();
        PickerConfiguration.Result result = text == null
                ? new PickerConfiguration.Result.Valid(PickerConfiguration.builtIn())
                : PickerConfiguration.read(text, settings.allowExperimental());
        switch (result) {
            case PickerConfiguration.Result.Invalid invalid -> refuse(invalid.problems());
            case PickerConfiguration.Result.Valid(PickerConfiguration configuration) -> {
                if (settings.validateOnly()) {
                    System.out.print(configuration.effective());
                    return;
                }
                configuration
                        .warnings()
                        .forEach(warning -> LOG.atWarn()
                                .setMessage("configuration")
                                .addKeyValue("warning", warning)
                                .log());
                run(settings, configuration);
            }
        }
    }

    private static void run(Settings settings, PickerConfiguration configuration) {
        try {
            EndpointPicker picker = EndpointPicker.start(settings, configuration, System.currentTimeMillis());
            Runtime.getRuntime().addShutdownHook(new Thread(picker::drain, "drain"));
        } catch (IOException | UnusableKeyPairException e) {
            LOG.atError().setMessage("the picker cannot start").setCause(e).log();
            System.exit(1);
        }
    }

    private static void refuse(Iterable<?> problems) {
        for (Object problem : problems) {
            System.err.println(problem);
        }
        System.exit(USAGE);
    }
}
