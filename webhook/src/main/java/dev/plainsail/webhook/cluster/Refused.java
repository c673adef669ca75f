package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;

/** A write that the API server did not take, with its words and what they mean for trying again. */
public final class Refused extends RuntimeException {
    /** Why, as far as it decides what to do next. */
    public enum Kind {
        /** The namespace is gone or going: nothing is left to do there. */
        NAMESPACE_ENDS,
        /** The object itself is not acceptable; it will not be so later either. */
        INVALID,
        /** No permission, or a quota: somebody must act, and may. */
        FORBIDDEN,
        /** Anything else, most likely passing. */
        UNAVAILABLE
    }

    private static final int UNPROCESSABLE = 422;
    private static final String NAMESPACE_TERMINATING = "NamespaceTerminating";

    private final Kind kind;
    private final String said;

    private Refused(Kind kind, String message, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.said = message;
    }

    public Kind kind() {
        return kind;
    }

    /** The API server's words. */
    public String said() {
        return said;
    }

    static Refused of(KubernetesClientException e) {
        return new Refused(kind(e), Cluster.said(e), e);
    }

    private static Kind kind(KubernetesClientException e) {
        return switch (e.getCode()) {
            case HttpURLConnection.HTTP_NOT_FOUND -> Kind.NAMESPACE_ENDS;
            case HttpURLConnection.HTTP_BAD_REQUEST, UNPROCESSABLE -> Kind.INVALID;
            case HttpURLConnection.HTTP_FORBIDDEN -> ends(e) ? Kind.NAMESPACE_ENDS : Kind.FORBIDDEN;
            default -> Kind.UNAVAILABLE;
        };
    }

    /** Said as a cause of its own, whatever the words. */
    private static boolean ends(KubernetesClientException e) {
        return e.getStatus() != null
                && e.getStatus().getDetails() != null
                && e.getStatus().getDetails().getCauses().stream()
                        .anyMatch(cause -> NAMESPACE_TERMINATING.equals(cause.getReason()));
    }
}
