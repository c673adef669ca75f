package dev.plainsail.webhook.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Splits {@code engine-args} into words: blanks, single and double quotes, backslash, as a POSIX shell does, but without any
 * expansion. What a shell would expand is refused, so that nobody wonders which shell does it; {@code $(NAME)} is the
 * kubelet's and stays.
 */
public final class ShellWords {

    /** The words, or the first thing that is wrong. */
    public sealed interface Split {
        record Words(List<String> words) implements Split {
            public Words {
                words = List.copyOf(words);
            }
        }

        record Wrong(String badValue, String detail) implements Split {}
    }

    private final String text;
    private final List<String> words = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean isInWord;
    private int position;

    private ShellWords(String text) {
        this.text = text;
    }

    public static Split split(String text) {
        ShellWords splitter = new ShellWords(text);
        Optional<Split> wrong = splitter.run();
        return wrong.orElseGet(() -> new Split.Words(splitter.words));
    }

    private Optional<Split> run() {
        while (position < text.length()) {
            Optional<Split> wrong = step(text.charAt(position));
            if (wrong.isPresent()) {
                return wrong;
            }
        }
        endWord();
        return Optional.empty();
    }

    private Optional<Split> step(char c) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            endWord();
            position++;
            return Optional.empty();
        }
        isInWord = true;
        return switch (c) {
            case '\'' -> singleQuoted();
            case '"' -> doubleQuoted();
            case '\\' -> escaped();
            case '$' -> dollar();
            case '#', '~' -> word.isEmpty() ? unexpanded(c) : plain(c);
            case '`', '*', '?', '[', ';', '|', '&', '<', '>', '(', ')' -> unexpanded(c);
            default -> plain(c);
        };
    }

    private Optional<Split> unexpanded(char c) {
        return wrong(String.valueOf(c), "is not expanded here; put it in single quotes if it belongs to the value");
    }

    private Optional<Split> plain(char c) {
        word.append(c);
        position++;
        return Optional.empty();
    }

    private Optional<Split> singleQuoted() {
        int end = text.indexOf('\'', position + 1);
        if (end < 0) {
            return wrong("'", "the single quote is never closed");
        }
        word.append(text, position + 1, end);
        position = end + 1;
        return Optional.empty();
    }

    private Optional<Split> doubleQuoted() {
        position++;
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '"') {
                position++;
                return Optional.empty();
            }
            if (c == '\\' && position + 1 < text.length() && "$`\"\\\n".indexOf(text.charAt(position + 1)) >= 0) {
                char next = text.charAt(position + 1);
                if (next != '\n') {
                    word.append(next);
                }
                position += 2;
            } else if (c == '$' || c == '`') {
                Optional<Split> wrong = c == '$' ? dollar() : wrong("`", "commands are not run here");
                if (wrong.isPresent()) {
                    return wrong;
                }
            } else {
                word.append(c);
                position++;
            }
        }
        return wrong("\"", "the double quote is never closed");
    }

    private Optional<Split> escaped() {
        if (position + 1 >= text.length()) {
            return wrong("\\", "nothing follows the backslash at the end");
        }
        char next = text.charAt(position + 1);
        if (next != '\n') {
            word.append(next);
        }
        position += 2;
        return Optional.empty();
    }

    /** The kubelet's $(NAME) stays; a shell's $NAME is refused. */
    private Optional<Split> dollar() {
        int end = position + 2;
        if (text.startsWith("$(", position)) {
            while (end < text.length() && isNamePart(text.charAt(end))) {
                end++;
            }
            if (end > position + 2 && end < text.length() && text.charAt(end) == ')') {
                word.append(text, position, end + 1);
                position = end + 1;
                return Optional.empty();
            }
        }
        return wrong(
                "$",
                "shell variables are not known here; write $(NAME) for a variable of the container, or '$' in single quotes");
    }

    private static boolean isNamePart(char c) {
        return c == '_'
                || c == '-'
                || c == '.'
                || (c >= '0' && c <= '9')
                || (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z');
    }

    private void endWord() {
        if (isInWord) {
            words.add(word.toString());
            word.setLength(0);
            isInWord = false;
        }
    }

    private Optional<Split> wrong(String badValue, String detail) {
        return Optional.of(
                new Split.Wrong(badValue, "column " + (text.codePointCount(0, position) + 1) + ": " + detail));
    }
}
