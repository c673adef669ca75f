package dev.plainsail.epp.protocol;

import java.nio.charset.StandardCharsets;

/** Another model's name in place of the client's. */
final class Rewrite {
    private Rewrite() {}

    /** The name as a JSON string. */
    static byte[] value(String model) {
        return Answers.quoted(model).getBytes(StandardCharsets.UTF_8);
    }
}
