package dev.plainsail.e2e.engine;

import java.util.Arrays;

/**
 * Cuts text into tokens without a vocabulary: a piece is a special token such as {@code <|im_start|>}, a blank and up to six letters, up
 * to three digits, or one other character, and its id is a hash of its text. About four characters of English a token, as real ones have. Two texts with a common beginning have
 * common first tokens, all but the last, and generated text cut again gives the tokens it was made of, so that the next turn of a chat
 * finds the last one's blocks.
 */
final class Tokenizer {
    private static final int LETTERS = 6;
    private static final int DIGITS = 3;
    private static final int SPECIAL = 32;

    private Tokenizer() {}

    static int[] tokens(CharSequence text) {
        int[] tokens = new int[text.length() / 3 + 8];
        int count = 0;
        int at = 0;
        while (at < text.length()) {
            int end = pieceEnd(text, at);
            if (count == tokens.length) {
                tokens = Arrays.copyOf(tokens, count * 2);
            }
            tokens[count++] = id(text, at, end);
            at = end;
        }
        return Arrays.copyOf(tokens, count);
    }

    private static int pieceEnd(CharSequence text, int start) {
        int special = specialEnd(text, start);
        if (special > 0) {
            return special;
        }
        int at = text.charAt(start) == ' ' && start + 1 < text.length() ? start + 1 : start;
        char first = text.charAt(at);
        if (Character.isLetter(first)) {
            return run(text, at, LETTERS, true);
        }
        if (Character.isDigit(first)) {
            return run(text, at, DIGITS, false);
        }
        return start + 1;
    }

    /** Where the special token that begins here ends; 0 when none does. */
    private static int specialEnd(CharSequence text, int start) {
        if (start + 4 >= text.length() || text.charAt(start) != '<' || text.charAt(start + 1) != '|') {
            return 0;
        }
        int at = start + 2;
        while (at < text.length() - 1
                && at - start < SPECIAL
                && (Character.isLetter(text.charAt(at)) || text.charAt(at) == '_')) {
            at++;
        }
        return at > start + 2 && text.charAt(at) == '|' && at + 1 < text.length() && text.charAt(at + 1) == '>'
                ? at + 2
                : 0;
    }

    private static int run(CharSequence text, int start, int limit, boolean letters) {
        int at = start;
        while (at < text.length()
                && at - start < limit
                && (letters ? Character.isLetter(text.charAt(at)) : Character.isDigit(text.charAt(at)))) {
            at++;
        }
        return at;
    }

    /** A positive 31-bit id; stable over runs and machines. */
    private static int id(CharSequence text, int from, int to) {
        int h = 0x811C9DC5;
        for (int i = from; i < to; i++) {
            h = (h ^ text.charAt(i)) * 0x01000193;
        }
        h ^= h >>> 15;
        return h & 0x7FFFFFFF;
    }
}
