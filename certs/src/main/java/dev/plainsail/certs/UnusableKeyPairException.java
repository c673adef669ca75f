package dev.plainsail.certs;

/** A certificate or key that cannot be served; the message names the file, what was found in it and what to write instead. */
public final class UnusableKeyPairException extends Exception {
    public UnusableKeyPairException(String message) {
        super(message);
    }

    UnusableKeyPairException(String message, Throwable cause) {
        super(message, cause);
    }
}
