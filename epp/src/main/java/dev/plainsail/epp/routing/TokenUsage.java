package dev.plainsail.epp.routing;

/**
 * Tokens of one request as its engine counted them; -1 stands for what it did not say.
 *
 * @param prompt tokens of the prompt
 * @param completion tokens of the answer
 * @param cached of the prompt's tokens, those that the engine did not have to compute
 */
public record TokenUsage(int prompt, int completion, int cached) {
    public static final TokenUsage UNKNOWN = new TokenUsage(-1, -1, -1);

    /** Prompt and answer together; -1 if one of them is not known. */
    public int total() {
        return prompt < 0 || completion < 0 ? -1 : prompt + completion;
    }
}
