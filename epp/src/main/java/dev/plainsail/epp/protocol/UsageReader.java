package dev.plainsail.epp.protocol;

import dev.plainsail.epp.routing.TokenUsage;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Finds what an answer says of its tokens while its pieces pass, cut anywhere: server-sent events or one JSON text, in
 * the words of OpenAI or Anthropic. Nothing is held back and nothing but the {@code usage} objects is parsed.
 *
 * <p>The bytes {@code "usage"} with both quotes can only be a JSON string of its own: inside another string the quotes
 * would be escaped. Followed by a colon it is a key, and an object behind it is read; null and everything else is passed
 * over. Engines count upwards, so of several objects the largest number of each kind stays: Anthropic's first event tells
 * the prompt, its last the answer. Not safe for two threads.
 */
final class UsageReader implements JsonScanner.Events {
    private static final byte[] KEY = "\"usage\"".getBytes(StandardCharsets.US_ASCII);
    private static final int AFTER_KEY = KEY.length;
    private static final int AFTER_COLON = AFTER_KEY + 1;
    private static final int INSIDE = AFTER_KEY + 2;

    private final JsonScanner scanner = new JsonScanner(this);

    /** Bytes of the key that were seen, or one of the stages behind it. */
    private int stage;

    private @Nullable String key;
    private int prompt = -1;
    private int completion = -1;
    private int cached = -1;

    /** Takes the next bytes of the answer. */
    void read(byte[] bytes, int from, int to) {
        for (int at = from; at < to; at++) {
            byte b = bytes[at];
            if (stage < AFTER_KEY) {
                stage = b == KEY[stage] ? stage + 1 : b == '"' ? 1 : 0;
            } else {
                behindKey(bytes, at, b);
            }
        }
    }

    private void behindKey(byte[] bytes, int at, byte b) {
        if (stage == INSIDE) {
            scanner.read(bytes, at, at + 1);
            if (scanner.problem() != null) {
                stage = 0;
            }
            return;
        }
        if (b == ' ' || b == '\n' || b == '\r' || b == '\t') {
            return;
        }
        if (stage == AFTER_KEY && b == ':') {
            stage = AFTER_COLON;
        } else if (stage == AFTER_COLON && b == '{') {
            stage = INSIDE;
            scanner.reset();
            scanner.read(bytes, at, at + 1);
        } else {
            stage = b == '"' ? 1 : 0;
        }
    }

    /** What has been said so far. */
    TokenUsage usage() {
        return prompt < 0 && completion < 0 && cached < 0
                ? TokenUsage.UNKNOWN
                : new TokenUsage(prompt, completion, cached);
    }

    @Override
    public void beginObject() {}

    @Override
    public void endObject() {
        if (scanner.depth() == 0) {
            stage = 0;
        }
    }

    @Override
    public void beginArray() {}

    @Override
    public void endArray() {}

    @Override
    public void key(byte[] name, int length) {
        key = new String(name, 0, Math.min(length, name.length), StandardCharsets.ISO_8859_1);
    }

    @Override
    public void beginString(long offset) {}

    @Override
    public void text(byte[] bytes, int from, int to) {}

    @Override
    public void endString(long end) {}

    @Override
    public void literal(byte[] bytes, int length) {
        String name = key;
        if (name == null) {
            return;
        }
        int number = WholeNumber.of(bytes, length);
        switch (name) {
            case "prompt_tokens", "input_tokens" -> prompt = scanner.depth() == 1 ? Math.max(prompt, number) : prompt;
            case "completion_tokens", "output_tokens" ->
                completion = scanner.depth() == 1 ? Math.max(completion, number) : completion;
            case "cached_tokens", "cache_read_input_tokens" -> cached = Math.max(cached, number);
            default -> {}
        }
    }
}
