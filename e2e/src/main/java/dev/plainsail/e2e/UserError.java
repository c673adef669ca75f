package dev.plainsail.e2e;

/**
 * Something that only the person at the keyboard can put right. The message is one line that names what is wrong and the
 * next step; programs print it as it stands, without a stack trace, and exit with 1.
 */
public final class UserError extends RuntimeException {

    public UserError(String message) {
        super(message);
    }

    public UserError(String message, Throwable cause) {
        super(message, cause);
    }
}
