package dev.plainsail.webhook.workload;

/**
 * One word of a command line, as the program will see it.
 *
 * @param text parts that only the running shell knows are {@link #UNKNOWN}
 */
public record Word(String text) {

    /** Stands for what an expansion will give. */
    public static final char UNKNOWN = '\uFFFC';

    public boolean isExact() {
        return text.indexOf(UNKNOWN) < 0;
    }

    /** The last part of a path. */
    public String baseName() {
        return text.substring(text.lastIndexOf('/') + 1);
    }
}
