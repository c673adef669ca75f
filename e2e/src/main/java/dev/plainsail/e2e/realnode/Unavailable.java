package dev.plainsail.e2e.realnode;

/**
 * This machine cannot have a real node, or part of what runs on it. The message is one line that says why; whoever asked
 * decides whether that is a failure.
 */
public final class Unavailable extends Exception {

    public Unavailable(String message) {
        super(message.lines().findFirst().orElse(message));
    }

    Unavailable(String message, Throwable cause) {
        super(
                message + ": "
                        + String.valueOf(cause.getMessage()).lines().findFirst().orElse(""),
                cause);
    }
}
