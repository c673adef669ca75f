package dev.plainsail.epp.protocol;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The key in front of a value that has not begun: it counts as part of the prompt only if the value does. */
final class HeldKey {
    private static final byte[] CACHE_CONTROL = "cache_control".getBytes(StandardCharsets.UTF_8);
    private static final List<byte[]> MEDIA_PARENTS = bytes(
            "image_url",
            "video_url",
            "audio_url",
            "input_audio",
            "input_image",
            "source",
            "image",
            "file",
            "image_data");
    private static final List<byte[]> MEDIA_DATA = bytes("url", "data", "file_data", "image_url", "image_data");

    private final byte[] key = new byte[JsonScanner.KEY_BYTES];
    private int length = -1;

    void hold(byte[] name, int realLength) {
        length = Math.min(realLength, key.length);
        System.arraycopy(name, 0, key, 0, length);
    }

    void forget() {
        length = -1;
    }

    boolean isHolding() {
        return length >= 0;
    }

    /** "" if there is none. */
    String text() {
        return length < 0 ? "" : new String(key, 0, length, StandardCharsets.ISO_8859_1);
    }

    /** Puts it into the prompt, once. */
    void emit(PromptText into) {
        if (length >= 0) {
            into.name(key, length);
            length = -1;
        }
    }

    /** Whether an object under this key holds an image, sound or file. */
    boolean isMediaParent() {
        return isOneOf(MEDIA_PARENTS);
    }

    /** Whether a string under this key may be the data of one. */
    boolean isMediaData() {
        return isOneOf(MEDIA_DATA);
    }

    /** Whether it is that wherever it stands; {@code url} and {@code data} are common words. */
    boolean isMediaByItself() {
        return length > "data".length();
    }

    boolean isCacheControl() {
        return is(CACHE_CONTROL);
    }

    private boolean isOneOf(List<byte[]> names) {
        for (byte[] candidate : names) {
            if (is(candidate)) {
                return true;
            }
        }
        return false;
    }

    private boolean is(byte[] candidate) {
        return length == candidate.length && Arrays.equals(key, 0, length, candidate, 0, candidate.length);
    }

    private static List<byte[]> bytes(String... names) {
        List<byte[]> list = new ArrayList<>();
        for (String each : names) {
            list.add(each.getBytes(StandardCharsets.UTF_8));
        }
        return List.copyOf(list);
    }
}
