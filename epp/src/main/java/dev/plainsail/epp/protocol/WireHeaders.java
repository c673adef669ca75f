package dev.plainsail.epp.protocol;

import java.nio.charset.StandardCharsets;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The headers of one message, left as bytes where they arrived: a request has two dozen of them and a decision looks at
 * few, so a text is made only of what is asked for. Names are in lower case, as proxies send them; repeated ones are
 * joined by a comma. Immutable once filled. A look-up costs one comparison of lengths a header.
 */
final class WireHeaders extends AbstractMap<String, String> {
    static final WireHeaders NONE = new WireHeaders(new byte[0]);

    private final byte[] bytes;
    private int[] spans = new int[4 * 32];
    private int count;

    WireHeaders(byte[] bytes) {
        this.bytes = bytes;
    }

    void add(int nameFrom, int nameTo, int valueFrom, int valueTo) {
        if (count * 4 == spans.length) {
            spans = Arrays.copyOf(spans, spans.length * 2);
        }
        int at = count++ * 4;
        spans[at] = nameFrom;
        spans[at + 1] = nameTo;
        spans[at + 2] = valueFrom;
        spans[at + 3] = valueTo;
    }

    /** How many headers there are, repeated ones counted each. */
    int count() {
        return count;
    }

    boolean isNamed(int index, byte[] name) {
        int at = index * 4;
        return Arrays.equals(bytes, spans[at], spans[at + 1], name, 0, name.length);
    }

    int nameLength(int index) {
        return spans[index * 4 + 1] - spans[index * 4];
    }

    byte firstOfName(int index) {
        return bytes[spans[index * 4]];
    }

    String name(int index) {
        return text(spans[index * 4], spans[index * 4 + 1]);
    }

    String value(int index) {
        return text(spans[index * 4 + 2], spans[index * 4 + 3]);
    }

    @Override
    public @Nullable String get(@Nullable Object key) {
        if (!(key instanceof String name)) {
            return null;
        }
        String found = null;
        for (int i = 0; i < count; i++) {
            if (isNamed(i, name)) {
                found = found == null ? value(i) : found + "," + value(i);
            }
        }
        return found;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return get(key) != null;
    }

    private boolean isNamed(int index, String name) {
        int from = spans[index * 4];
        if (spans[index * 4 + 1] - from != name.length()) {
            return false;
        }
        for (int i = name.length() - 1; i >= 0; i--) {
            if (bytes[from + i] != name.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private String text(int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    @Override
    public Set<Entry<String, String>> entrySet() {
        Map<String, String> all = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            all.merge(name(i), value(i), (before, more) -> before + "," + more);
        }
        return all.entrySet();
    }
}
