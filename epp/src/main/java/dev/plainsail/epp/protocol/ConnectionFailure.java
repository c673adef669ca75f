package dev.plainsail.epp.protocol;

import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/** Why a connection to the ext_proc port ended before it could be used; metric label and, for people, a sentence. */
public enum ConnectionFailure {
    PLAINTEXT_CLIENT("a client speaks plaintext to our TLS port: give the gateway's cluster for the picker a TLS"
            + " transport_socket, or start the picker with --secure-serving=false"),
    TLS_CLIENT(
            "a client speaks TLS to our plaintext port: take the TLS transport_socket from the gateway's cluster for the"
                    + " picker, or start the picker with --secure-serving=true"),
    HANDSHAKE("a client ended the TLS handshake: does it trust the certificate in --cert-path, and does the name fit?");

    /** What HTTP/2 shows of a first record of TLS. */
    private static final String TLS_RECORD = "1603";

    private final String sentence;

    ConnectionFailure(String sentence) {
        this.sentence = sentence;
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** What is wrong and what to do. */
    public String sentence() {
        return sentence;
    }

    /** By what Netty throws; its classes are shaded, so their names count. Empty for networks that fail and processes that die. */
    static Optional<ConnectionFailure> of(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            String message = String.valueOf(cause.getMessage());
            if (cause.getClass().getSimpleName().equals("NotSslRecordException")) {
                return Optional.of(PLAINTEXT_CLIENT);
            }
            if (message.contains("preface string missing or corrupt") && message.contains(": " + TLS_RECORD)) {
                return Optional.of(TLS_CLIENT);
            }
            if (cause instanceof SSLHandshakeException
                    || (cause instanceof SSLException && message.contains("fatal alert"))) {
                return Optional.of(HANDSHAKE);
            }
        }
        return Optional.empty();
    }
}
