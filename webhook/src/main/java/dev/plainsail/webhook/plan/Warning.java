package dev.plainsail.webhook.plan;

/**
 * Something the user should know, which refuses nothing.
 *
 * @param path full field path, or empty for the object as a whole
 */
public record Warning(Caution caution, String path, String text) {

    public String line() {
        return path.isEmpty() ? text : path + ": " + text;
    }
}
