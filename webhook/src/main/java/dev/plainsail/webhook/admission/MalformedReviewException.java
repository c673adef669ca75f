package dev.plainsail.webhook.admission;

/** The caller sent something that is no AdmissionReview: for HTTP, 400 with this message. The API server never does. */
public final class MalformedReviewException extends RuntimeException {

    public MalformedReviewException(String message) {
        super(message);
    }

    public MalformedReviewException(String message, Throwable cause) {
        super(message, cause);
    }
}
