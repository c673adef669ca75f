package dev.plainsail.epp.protocol;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields at the root of a request's body that the picker reads; all others are skipped. */
enum Field {
    MODEL("model", Part.NONE),
    STREAM("stream", Part.NONE),
    MAX_TOKENS("max_tokens", Part.NONE),
    MAX_COMPLETION_TOKENS("max_completion_tokens", Part.NONE),
    MAX_OUTPUT_TOKENS("max_output_tokens", Part.NONE),
    SAMPLING_PARAMS("sampling_params", Part.NONE),
    CACHE_SALT("cache_salt", Part.NONE),
    LORA_PATH("lora_path", Part.NONE),
    EXTRA_KEY("extra_key", Part.NONE),
    TOOLS("tools", Part.TOOLS),
    FUNCTIONS("functions", Part.TOOLS),
    SYSTEM("system", Part.SYSTEM),
    INSTRUCTIONS("instructions", Part.SYSTEM),
    MESSAGES("messages", Part.MAIN),
    PROMPT("prompt", Part.MAIN),
    INPUT("input", Part.MAIN),
    TEXT("text", Part.MAIN),
    INPUT_IDS("input_ids", Part.MAIN),
    TOKEN_IDS("token_ids", Part.MAIN),
    IMAGE_DATA("image_data", Part.MAIN);

    private static final Map<String, Field> BY_NAME = new HashMap<>();
    private static final int LONGEST;

    static {
        int longest = 0;
        for (Field field : values()) {
            BY_NAME.put(field.key, field);
            longest = Math.max(longest, field.key.length());
        }
        LONGEST = longest;
    }

    /** Which part of the prompt a field belongs to. */
    enum Part {
        TOOLS,
        SYSTEM,
        MAIN,
        NONE
    }

    private final String key;
    private final Part part;

    Field(String key, Part part) {
        this.key = key;
        this.part = part;
    }

    Part part() {
        return part;
    }

    String key() {
        return key;
    }

    static @Nullable Field of(byte[] key, int length) {
        return length > LONGEST ? null : BY_NAME.get(new String(key, 0, length, StandardCharsets.ISO_8859_1));
    }
}
