package dev.plainsail.webhook.workload;

/** A place in a container's command line where words can be put. */
public sealed interface Slot {

    /** Behind everything: the end of {@code args}. */
    record ArgsEnd() implements Slot {}

    /** Before that element of {@code command} or {@code args}; one past the last means behind it. */
    record Before(String field, int index) implements Slot {}

    /** Inside a shell text that is an element of {@code command} or {@code args}. */
    record InShellText(String field, int index, int offset) implements Slot {}
}
