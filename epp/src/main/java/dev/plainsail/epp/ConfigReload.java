package dev.plainsail.epp;

import dev.plainsail.epp.configuration.PickerConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration file again from time to time and hands over what changed. A text with problems changes
 * nothing: the last good configuration stays, and the problems are logged, once for each text.
 */
final class ConfigReload implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigReload.class);

    private final Path file;
    private final boolean allowExperimental;
    private final Consumer<PickerConfiguration> changed;
    private final Thread thread;
    private String last;

    private ConfigReload(
            Path file,
            String text,
            boolean allowExperimental,
            Consumer<PickerConfiguration> changed,
            Duration interval) {
        this.file = file;
        this.last = text;
        this.allowExperimental = allowExperimental;
        this.changed = changed;
        this.thread = Thread.ofVirtual().name("configuration file").unstarted(() -> run(interval));
    }

    /** @param text that was read at start */
    static ConfigReload start(
            Path file,
            String text,
            boolean allowExperimental,
            Consumer<PickerConfiguration> changed,
            Duration interval) {
        ConfigReload reload = new ConfigReload(file, text, allowExperimental, changed, interval);
        reload.thread.start();
        return reload;
    }

    private void run(Duration interval) {
        try {
            while (true) {
                Thread.sleep(interval.toMillis());
                look();
            }
        } catch (InterruptedException e) {
            LOG.debug("no longer watching {}", file);
        }
    }

    private void look() {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            LOG.warn("configuration {} cannot be read: {}; the last good one stays", file, e.toString());
            return;
        }
        if (text.equals(last)) {
            return;
        }
        last = text;
        switch (PickerConfiguration.read(text, allowExperimental)) {
            case PickerConfiguration.Result.Valid(PickerConfiguration configuration) -> {
                changed.accept(configuration);
                LOG.info("configuration {} was read again", file);
            }
            case PickerConfiguration.Result.Invalid invalid ->
                LOG.error("configuration {} has problems, the last good one stays: {}", file, invalid.problems());
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
