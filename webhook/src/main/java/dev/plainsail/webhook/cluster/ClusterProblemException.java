package dev.plainsail.webhook.cluster;

/** A cluster that we cannot work with; the message is one sentence for whoever installs us. */
public final class ClusterProblemException extends Exception {
    ClusterProblemException(String message) {
        super(message);
    }
}
