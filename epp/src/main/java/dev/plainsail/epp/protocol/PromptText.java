package dev.plainsail.epp.protocol;

import com.dynatrace.hash4j.hashing.HashStream64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.plainsail.epp.prefix.BlockHasher;

/**
 * One stretch of the prompt (the tools, the system text, or the messages) on its way into block hashes, with its size.
 *
 * <p>What is hashed is the decoded text of every string with a separator behind it, the names of the fields, numbers and
 * literals other than null, and a mark at each object's begin and end: escapes and white space make no difference, a
 * moved border or another role does. Images and sound count by a hash of their data, never by the data itself.
 */
final class PromptText {
    /** Tokens that one image stands for when nothing is known of it: 640 x 360 pixels at 1,024 a token, as llm-d. */
    static final int MEDIA_TOKENS = 225;

    static final int FIELD_END = 0x1F;
    static final int OBJECT_BEGIN = 0x1E;
    static final int OBJECT_END = 0x1D;
    private static final int NAME_END = 0x1C;
    private static final byte[] MEDIA_FILLER = new byte[MEDIA_TOKENS * 4 - Long.BYTES];

    final BlockHasher hasher;
    private final HashStream64 media = Hashing.xxh3_64().hashStream();
    private long textBytes;
    private long tokens;

    PromptText(int blockLimit) {
        hasher = new BlockHasher(blockLimit);
    }

    void reset() {
        hasher.reset();
        textBytes = 0;
        tokens = 0;
    }

    /** Tokens so far: those given as such, media, and a quarter of the text's bytes. */
    long tokens() {
        return tokens + (textBytes + 3) / 4;
    }

    void text(byte[] bytes, int from, int to) {
        hasher.put(bytes, from, to);
        textBytes += to - from;
    }

    void endField() {
        hasher.put(FIELD_END);
    }

    void mark(int separator) {
        hasher.put(separator);
    }

    void name(byte[] key, int length) {
        hasher.put(key, 0, Math.min(length, key.length));
        hasher.put(NAME_END);
    }

    void literal(byte[] bytes, int length) {
        hasher.put(bytes, 0, length);
        hasher.put(FIELD_END);
    }

    void token(int token) {
        hasher.putToken(token);
        tokens++;
    }

    void beginMedia() {
        media.reset();
    }

    void media(byte[] bytes, int from, int to) {
        media.putBytes(bytes, from, to - from);
    }

    void endMedia() {
        hasher.putLong(media.getAsLong());
        hasher.put(MEDIA_FILLER, 0, MEDIA_FILLER.length);
        tokens += MEDIA_TOKENS;
    }
}
