package dev.plainsail.webhook.workload;

/**
 * One word of a command line.
 *
 * @param text as the program will see it; parts that only the running pod knows are {@link #UNKNOWN}
 * @param written as it stands in the pod
 */
public record Word(String text, String written) {

    /** Stands for what an expansion will give. */
    public static final char UNKNOWN = '\uFFFC';

    public Word(String text) {
        this(text, text);
    }

    public boolean isExact() {
        return text.indexOf(UNKNOWN) < 0;
    }

    /** The container's own variables give a part of it. */
    public boolean isFromVariable() {
        return written.contains("$(");
    }

    /** The last part of a path. */
    public String baseName() {
        return text.substring(text.lastIndexOf('/') + 1);
    }
}
