package dev.plainsail.epp.routing;

import java.util.Locale;

/** Why a request was refused. The constant is the metric label and the value of the reason header. */
public enum Reason {
    BODY_UNREADABLE(400),
    MODEL_MISSING(400),
    MODEL_UNKNOWN(404),
    POOL_UNKNOWN(404),
    BODY_TOO_LARGE(413),
    SATURATED(429),
    NO_ENDPOINT(503),
    SUBSET_WITHOUT_ENDPOINT(503),
    MEMORY_FULL(503),
    DECISION_TIMEOUT(503),
    NOT_READY(503),
    INTERNAL(500);

    private final int status;

    Reason(int status) {
        this.status = status;
    }

    /** The HTTP status that the client sees. */
    public int status() {
        return status;
    }

    /** The label: lower case with dashes. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
