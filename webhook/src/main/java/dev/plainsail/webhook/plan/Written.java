package dev.plainsail.webhook.plan;

/**
 * An annotation's or a label's value, and where the user wrote it.
 *
 * @param path full field path: {@code metadata.annotations[plainsail.dev/devices]}
 */
public record Written(String value, String path) {

    public Written with(String other) {
        return new Written(other, path);
    }

    public static String annotationPath(String prefix, String key) {
        return prefix + "metadata.annotations[" + key + "]";
    }

    public static String labelPath(String prefix, String key) {
        return prefix + "metadata.labels[" + key + "]";
    }
}
