package dev.plainsail.e2e.demo;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** The one switch of the log that the command line has. */
final class Logging {
    private Logging() {}

    static void showAll() {
        if (LoggerFactory.getLogger("dev.plainsail") instanceof Logger logger) {
            logger.setLevel(Level.DEBUG);
        }
    }
}
