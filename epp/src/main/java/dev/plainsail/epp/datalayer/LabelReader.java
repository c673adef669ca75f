package dev.plainsail.epp.datalayer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** The labels of one metric line, {@code {name="value",...}}, with the escapes of the text format. */
final class LabelReader {
    private final byte[] text;
    private final int end;
    private final Map<String, String> labels = new TreeMap<>();
    private int at;

    /** @param from just behind the metric's name */
    LabelReader(byte[] text, int from, int end) {
        this.text = text;
        this.at = from;
        this.end = end;
    }

    /** @return false: not well formed, the line counts as absent */
    boolean read() {
        if (at >= end || text[at] != '{') {
            return at < end;
        }
        at++;
        while (at < end) {
            skip(' ');
            skip(',');
            skip(' ');
            if (at < end && text[at] == '}') {
                at++;
                return true;
            }
            if (!label()) {
                return false;
            }
        }
        return false;
    }

    /** In the order of their names. */
    Map<String, String> labels() {
        return labels;
    }

    /** Just behind the labels. */
    int end() {
        return at;
    }

    private boolean label() {
        int start = at;
        while (at < end && text[at] != '=') {
            at++;
        }
        String name = new String(text, start, at - start, StandardCharsets.UTF_8).trim();
        at++;
        skip(' ');
        if (at >= end || text[at] != '"') {
            return false;
        }
        at++;
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        while (at < end && text[at] != '"') {
            byte next = text[at++];
            if (next == '\\' && at < end) {
                next = text[at++];
                value.write(next == 'n' ? '\n' : next);
            } else {
                value.write(next);
            }
        }
        labels.put(name, value.toString(StandardCharsets.UTF_8));
        at++;
        return at <= end;
    }

    private void skip(char what) {
        while (at < end && text[at] == what) {
            at++;
        }
    }
}
