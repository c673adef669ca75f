package dev.plainsail.webhook.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.read.ListAppender;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LineLayoutTest {

    private static final Instant TIME = Instant.parse("2026-01-31T10:20:30.004Z");

    private final LineLayout layout = new LineLayout();

    @Test
    void aLineHasTimeLevelClassMessageAndPairs() {
        LoggingEvent event = event(Level.INFO, "admission");
        event.addKeyValuePair(new KeyValuePair("uid", "1-2"));
        event.addKeyValuePair(new KeyValuePair("micros", 12L));

        assertThat(layout.doLayout(event))
                .isEqualTo("2026-01-31T10:20:30.004Z INFO  AdmissionHandler: admission uid=\"1-2\" micros=\"12\"%n"
                        .formatted());
        assertThat(layout.doLayout(event(Level.ERROR, "short")))
                .isEqualTo("2026-01-31T10:20:30.004Z ERROR AdmissionHandler: short%n".formatted());
    }

    @Test
    void aCauseFollowsWithItsStack() {
        LoggingEvent event = event(Level.WARN, "failed");
        event.setThrowableProxy(
                new ThrowableProxy(new IllegalStateException("outer", new IllegalArgumentException("inner"))));

        assertThat(layout.doLayout(event).lines())
                .startsWith(
                        "2026-01-31T10:20:30.004Z WARN  AdmissionHandler: failed",
                        "java.lang.IllegalStateException: outer")
                .contains("Caused by: java.lang.IllegalArgumentException: inner")
                .anyMatch(line -> line.startsWith("\tat " + LineLayoutTest.class.getName()));
    }

    @Test
    void ourLinesAreKeptFromInfoOnAndThoseOfLibrariesFromWarnOn() {
        LoggerContext logging = new LoggerContext();
        LogConfigurator configurator = new LogConfigurator();
        configurator.setContext(logging);
        configurator.configure(logging);
        ListAppender<ILoggingEvent> kept = new ListAppender<>();
        kept.start();
        logging.getLogger("ROOT").addAppender(kept);

        logging.getLogger("dev.plainsail.webhook.Main").info("ours");
        logging.getLogger("dev.plainsail.webhook.Main").debug("too much");
        logging.getLogger("org.eclipse.jetty").info("theirs");
        logging.getLogger("org.eclipse.jetty").warn("theirs, worth it");

        assertThat(kept.list).extracting(ILoggingEvent::getMessage).containsExactly("ours", "theirs, worth it");
    }

    private static LoggingEvent event(Level level, String message) {
        LoggingEvent event = new LoggingEvent();
        event.setLoggerName("dev.plainsail.webhook.admission.AdmissionHandler");
        event.setLevel(level);
        event.setMessage(message);
        event.setInstant(TIME);
        return event;
    }
}
