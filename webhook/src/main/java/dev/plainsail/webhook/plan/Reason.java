package dev.plainsail.webhook.plan;

import java.util.Locale;

/** Why something is refused. Each is a metric label and has a golden case; the order is that of importance in messages. */
public enum Reason {
    WRONG_SHAPE,
    UNKNOWN_KEY,
    TOO_LONG,
    NOT_A_TEXT,
    BAD_VALUE,
    BAD_DEVICES,
    BAD_CEL,
    DEVICES_AND_CLAIM,
    TWO_SPELLINGS,
    ALIAS_WITHOUT_CLASS,
    CONTRADICTS_FLAG,
    CONTRADICTS_LABEL,
    CONTRADICTS_VARIABLE,
    UNKNOWN_CONTAINER,
    NO_CONTAINER,
    NO_ENGINE,
    NOT_FOR_ENGINE,
    ENGINE_NONE,
    COUNT_DOES_NOT_MATCH,
    COUNT_NOT_WHOLE,
    LIMIT_ELSEWHERE,
    SEVERAL_LIMITS,
    ENTRY_TAKEN,
    WRITTEN_BY_PLAINSAIL,
    UNKNOWN_PORT;

    /** As a metric label and in audit annotations: {@code count-does-not-match}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
