package dev.plainsail.webhook.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.slf4j.event.KeyValuePair;

/**
 * One line an event: UTC time, level, class, message, key="value" pairs; a cause follows on lines of its own.
 *
 * <p>{@code 2026-01-31T10:20:30.123Z INFO  AdmissionHandler: admission uid="…" kind="Pod"}
 */
final class LineLayout extends LayoutBase<ILoggingEvent> {
    private static final int LINE = 320;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(LINE);
        TIME.formatTo(event.getInstant(), line);
        String level = event.getLevel().toString();
        line.append(' ').append(level).repeat(' ', 6 - level.length());
        String logger = event.getLoggerName();
        line.append(logger, logger.lastIndexOf('.') + 1, logger.length()).append(": ");
        line.append(event.getFormattedMessage());
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            for (KeyValuePair pair : pairs) {
                line.append(' ')
                        .append(pair.key)
                        .append("=\"")
                        .append(pair.value)
                        .append('"');
            }
        }
        line.append(System.lineSeparator());
        IThrowableProxy cause = event.getThrowableProxy();
        if (cause != null) {
            line.append(ThrowableProxyUtil.asString(cause));
        }
        return line.toString();
    }
}
