package dev.plainsail.webhook.engine;

import java.util.List;

/**
 * One flag of one engine.
 *
 * @param spellings every way to write it; the first is the one that we write
 * @param note since when, and what else a reader of the table should know; may be empty
 */
public record Flag(EngineOption option, Arity arity, List<String> spellings, String note) {

    /** How many words a flag takes. */
    public enum Arity {
        SWITCH,
        ONE,
        /** One or more, up to the next flag. */
        MANY
    }

    public Flag {
        spellings = List.copyOf(spellings);
    }

    static Flag one(EngineOption option, String note, String... spellings) {
        return new Flag(option, Arity.ONE, List.of(spellings), note);
    }

    static Flag toggle(EngineOption option, String note, String... spellings) {
        return new Flag(option, Arity.SWITCH, List.of(spellings), note);
    }

    static Flag many(EngineOption option, String note, String... spellings) {
        return new Flag(option, Arity.MANY, List.of(spellings), note);
    }

    public String spelling() {
        return spellings.getFirst();
    }
}
