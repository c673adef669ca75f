package dev.plainsail.webhook.plan;

/**
 * One thing that is refused.
 *
 * @param path full field path in the object that was sent
 * @param badValue what is there; empty if something is missing
 * @param detail what is wrong and what to write instead
 */
public record Problem(Reason reason, String path, String badValue, String detail) {

    private static final int SHOWN = 100;

    /** As the API server words its own: {@code Invalid value: "x4": ...}, without the path. */
    public String message() {
        return switch (reason) {
            case UNKNOWN_KEY, ENTRY_TAKEN, WRITTEN_BY_PLAINSAIL, DEVICES_AND_CLAIM, LIMIT_ELSEWHERE, SEVERAL_LIMITS ->
                "Forbidden: " + detail;
            case ALIAS_WITHOUT_CLASS, NO_CONTAINER, NO_ENGINE -> "Required value: " + detail;
            case TOO_LONG -> "Too long: " + detail;
            default ->
                badValue.isEmpty() ? "Invalid value: " + detail : "Invalid value: " + quoted(badValue) + ": " + detail;
        };
    }

    /** The API's word for this kind of mistake, in {@code status.details.causes[].reason}. */
    public String causeReason() {
        String message = message();
        if (message.startsWith("Forbidden")) {
            return "FieldValueForbidden";
        }
        if (message.startsWith("Too long")) {
            return "FieldValueTooLong";
        }
        return message.startsWith("Required") ? "FieldValueRequired" : "FieldValueInvalid";
    }

    /** {@code path: message}, one line. */
    public String line() {
        return path + ": " + message();
    }

    private static String quoted(String text) {
        String shown = text.codePointCount(0, text.length()) > SHOWN
                ? text.substring(0, text.offsetByCodePoints(0, SHOWN)) + "..."
                : text;
        StringBuilder result = new StringBuilder("\"");
        shown.chars().forEach(c -> {
            switch (c) {
                case '"' -> result.append("\\\"");
                case '\\' -> result.append("\\\\");
                case '\n' -> result.append("\\n");
                case '\t' -> result.append("\\t");
                case '\r' -> result.append("\\r");
                default -> result.append((char) c);
            }
        });
        return result.append('"').toString();
    }
}
