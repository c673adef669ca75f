package dev.plainsail.certs.authority;

/** Who must trust our authorities: for a webhook, its configuration in the API server. */
public interface BundleTarget {
    /**
     * Called with the whole bundle (PEM) at every round, so that a bundle that somebody removed comes back; writes only what
     * differs. Throws an unchecked exception when the target cannot be reached.
     */
    void publish(String bundle);
}
