package dev.plainsail.dra;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Finds where a CEL expression inside a longer text ends: at the first comma outside brackets and string literals.
 * It knows CEL's strings (single, double and triple quotes, raw and bytes prefixes, escapes) and nothing else of CEL.
 */
final class CelScanner {

    /** A lexical mistake at an offset of the text. */
    record Mistake(int offset, String detail) {}

    private static final Pattern STRING_PREFIX = Pattern.compile("(?i)r|b|br|rb");

    private final String text;
    private final Deque<Integer> open = new ArrayDeque<>();
    private int position;
    private int wordStart = -1;

    CelScanner(String text, int start) {
        this.text = text;
        this.position = start;
    }

    /** Offset of the comma that ends the expression, or the text's length. */
    int end() throws MistakeException {
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == ',' && open.isEmpty()) {
                endWord();
                return position;
            }
            step(c);
        }
        endWord();
        if (!open.isEmpty()) {
            int offset = open.peek();
            throw mistake(offset, "the bracket '" + text.charAt(offset) + "' is never closed");
        }
        return position;
    }

    private void step(char c) throws MistakeException {
        if (isWordPart(c)) {
            wordStart = wordStart < 0 ? position : wordStart;
            position++;
            return;
        }
        if (c == '"' || c == '\'') {
            boolean raw = wordStart >= 0
                    && STRING_PREFIX
                            .matcher(text.substring(wordStart, position))
                            .matches()
                    && text.substring(wordStart, position)
                            .toLowerCase(Locale.ROOT)
                            .contains("r");
            wordStart = -1;
            skipString(c, raw);
            return;
        }
        endWord();
        switch (c) {
            case '(', '[', '{' -> open.push(position);
            case ')', ']', '}' -> close(c);
            case '/' -> {
                if (text.startsWith("//", position)) {
                    throw mistake(position, "comments are not allowed here; remove the text from '//' on");
                }
            }
            default -> {
                // any other character belongs to the expression
            }
        }
        position++;
    }

    private void close(char c) throws MistakeException {
        if (open.isEmpty()) {
            throw mistake(position, "'" + c + "' closes no bracket");
        }
        char opening = text.charAt(open.pop());
        if ("([{".indexOf(opening) != ")]}".indexOf(c)) {
            throw mistake(position, "'" + c + "' cannot close '" + opening + "'");
        }
    }

    private void endWord() throws MistakeException {
        if (wordStart >= 0
                && open.isEmpty()
                && text.substring(wordStart, position).equals("where")
                && (wordStart == 0 || text.charAt(wordStart - 1) != '.')) {
            throw mistake(wordStart, "a second 'where'; join conditions with &&");
        }
        wordStart = -1;
    }

    private void skipString(char quote, boolean raw) throws MistakeException {
        int start = position;
        String triple = String.valueOf(quote).repeat(3);
        boolean isTriple = text.startsWith(triple, position);
        position += isTriple ? 3 : 1;
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '\\' && !raw) {
                position += 2;
            } else if (isTriple && text.startsWith(triple, position)) {
                position += 3;
                return;
            } else if (!isTriple && c == quote) {
                position++;
                return;
            } else if (!isTriple && (c == '\n' || c == '\r')) {
                break;
            } else {
                position++;
            }
        }
        throw mistake(start, "the string that begins here is never closed");
    }

    private static boolean isWordPart(char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private static MistakeException mistake(int offset, String detail) {
        return new MistakeException(new Mistake(offset, detail));
    }

    /** Carries a {@link Mistake} out of the scanner; never leaves this package. */
    static final class MistakeException extends Exception {
        private final transient Mistake mistake;

        MistakeException(Mistake mistake) {
            super(mistake.detail(), null, false, false);
            this.mistake = mistake;
        }

        Mistake mistake() {
            return mistake;
        }
    }
}
