package dev.plainsail.dra.cel;

/** What an expression says about one device. */
public sealed interface Outcome {

    record Match() implements Outcome {}

    record NoMatch() implements Outcome {}

    /** An error at run time; for the scheduler it ends the attempt for the whole pod, not for this device alone. */
    record Failed(String message) implements Outcome {}
}
