package dev.plainsail.epp.protocol;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields at the root of a request's body that the picker reads; all others are skipped. */
enum Field {
    MODEL("model"),
    STREAM("stream"),
    MAX_TOKENS("max_tokens"),
    MAX_COMPLETION_TOKENS("max_completion_tokens"),
    MAX_OUTPUT_TOKENS("max_output_tokens"),
    SAMPLING_PARAMS("sampling_params"),
    CACHE_SALT("cache_salt"),
    LORA_PATH("lora_path"),
    EXTRA_KEY("extra_key"),
    TOOLS("tools"),
    FUNCTIONS("functions"),
    SYSTEM("system"),
    INSTRUCTIONS("instructions"),
    MESSAGES("messages"),
    PROMPT("prompt"),
    INPUT("input"),
    TEXT("text"),
    INPUT_IDS("input_ids"),
    TOKEN_IDS("token_ids"),
    IMAGE_DATA("image_data");

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

    private final String key;

    Field(String key) {
        this.key = key;
    }

    String key() {
        return key;
    }

    static @Nullable Field of(byte[] key, int length) {
        return length > LONGEST ? null : BY_NAME.get(new String(key, 0, length, StandardCharsets.ISO_8859_1));
    }
}
