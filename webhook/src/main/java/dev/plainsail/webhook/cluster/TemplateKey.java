package dev.plainsail.webhook.cluster;

/** A claim template by where it is and what it is called. */
public record TemplateKey(String namespace, String name) {
    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
