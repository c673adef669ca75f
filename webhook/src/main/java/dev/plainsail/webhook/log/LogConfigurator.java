package dev.plainsail.webhook.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;

/**
 * Our own lines from INFO on, those of libraries from WARN on, to standard output or to what {@code plainsail.log} names
 * ({@code System.err}). Found by logback as a service; in code, since reading XML and patterns costs 300 classes and a
 * tenth of a second. {@code -Dlogback.configurationFile=FILE} takes its place.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_TOP_PRIORITY)
public final class LogConfigurator extends ContextAwareBase implements Configurator {
    private static final String USERS_OWN = "logback.configurationFile";

    @Override
    public ExecutionStatus configure(LoggerContext logging) {
        if (System.getProperty(USERS_OWN) != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        LineLayout layout = new LineLayout();
        layout.setContext(logging);
        layout.start();
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(logging);
        encoder.setLayout(layout);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(logging);
        appender.setName("console");
        appender.setTarget(System.getProperty("plainsail.log", "System.out"));
        appender.setEncoder(encoder);
        appender.start();
        var root = logging.getLogger(Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(appender);
        logging.getLogger("dev.plainsail").setLevel(Level.INFO);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
