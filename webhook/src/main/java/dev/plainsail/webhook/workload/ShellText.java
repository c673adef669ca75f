package dev.plainsail.webhook.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The simple commands of a POSIX shell text, each word with its place. It follows quotes, escapes, comments, operators and
 * redirections; what an expansion gives is unknown. A text that it cannot follow to the end (open quotes, here-documents)
 * gives nothing at all, so that nobody edits what they do not understand.
 */
public final class ShellText {

    /** A word and the half-open range of the text it was read from. */
    public record ShellWord(Word word, int start, int end) {}

    private static final Set<String> LEADING =
            Set.of("{", "}", "!", "if", "then", "else", "elif", "while", "until", "do", "time");

    private final String text;
    private final List<List<ShellWord>> commands = new ArrayList<>();
    private List<ShellWord> current = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private int wordStart = -1;
    private int position;
    private boolean isRedirectTarget;

    private ShellText(String text) {
        this.text = text;
    }

    /** The simple commands in order, assignments in front included; empty if the text cannot be followed. */
    public static Optional<List<List<ShellWord>>> commands(String text) {
        ShellText parser = new ShellText(text);
        return parser.parse() ? Optional.of(parser.commands) : Optional.empty();
    }

    private boolean parse() {
        while (position < text.length()) {
            if (!step(text.charAt(position))) {
                return false;
            }
        }
        endCommand();
        return true;
    }

    private boolean step(char c) {
        return switch (c) {
            case ' ', '\t', '\r' -> {
                endWord();
                position++;
                yield true;
            }
            case '\n', ';', '|', '(', ')' -> {
                endCommand();
                position++;
                yield true;
            }
            case '&' -> ampersand();
            case '<', '>' -> redirection();
            case '#' -> wordStart < 0 ? comment() : literal(c);
            case '\'' -> singleQuoted();
            case '"' -> doubleQuoted();
            case '\\' -> escaped();
            case '$' -> {
                beginWord();
                yield expansion();
            }
            case '`' -> {
                beginWord();
                yield backticks();
            }
            case '*', '?', '[', '~' -> literal(Word.UNKNOWN);
            default -> literal(c);
        };
    }

    private boolean literal(char c) {
        beginWord();
        word.append(c);
        position++;
        return true;
    }

    private boolean ampersand() {
        if (text.startsWith("&>", position)) {
            endWord();
            position += text.startsWith("&>>", position) ? 3 : 2;
            isRedirectTarget = true;
            return true;
        }
        endCommand();
        position++;
        return true;
    }

    private boolean redirection() {
        if (text.startsWith("<<", position) && !text.startsWith("<<<", position)) {
            return false;
        }
        if (text.startsWith("(", position + 1)) {
            beginWord();
            word.append(Word.UNKNOWN);
            position++;
            return skipBalanced('(', ')');
        }
        if (wordStart >= 0 && text.substring(wordStart, position).chars().allMatch(d -> d >= '0' && d <= '9')) {
            dropWord();
        }
        endWord();
        while (position < text.length() && "<>&|".indexOf(text.charAt(position)) >= 0) {
            position++;
        }
        isRedirectTarget = true;
        return true;
    }

    private boolean comment() {
        while (position < text.length() && text.charAt(position) != '\n') {
            position++;
        }
        return true;
    }

    private boolean singleQuoted() {
        int end = text.indexOf('\'', position + 1);
        if (end < 0) {
            return false;
        }
        beginWord();
        word.append(text, position + 1, end);
        position = end + 1;
        return true;
    }

    private boolean doubleQuoted() {
        beginWord();
        position++;
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '"') {
                position++;
                return true;
            }
            if (c == '\\' && position + 1 < text.length()) {
                char next = text.charAt(position + 1);
                if ("$`\"\\".indexOf(next) >= 0) {
                    word.append(next);
                } else if (next != '\n') {
                    word.append(c).append(next);
                }
                position += 2;
            } else if (c == '$') {
                if (!expansion()) {
                    return false;
                }
            } else if (c == '`') {
                if (!backticks()) {
                    return false;
                }
            } else {
                word.append(c);
                position++;
            }
        }
        return false;
    }

    private boolean escaped() {
        if (position + 1 >= text.length()) {
            return literal('\\');
        }
        char next = text.charAt(position + 1);
        if (next != '\n') {
            beginWord();
            word.append(next);
        }
        position += 2;
        return true;
    }

    private boolean expansion() {
        position++;
        if (position >= text.length()) {
            word.append('$');
            return true;
        }
        char c = text.charAt(position);
        if (c == '(' || c == '{') {
            word.append(Word.UNKNOWN);
            return skipBalanced(c, c == '(' ? ')' : '}');
        }
        if (c == '\'') {
            word.append(Word.UNKNOWN);
            return skipAnsiString();
        }
        if ("@*#?$!-0123456789".indexOf(c) >= 0) {
            word.append(Word.UNKNOWN);
            position++;
            return true;
        }
        int start = position;
        while (position < text.length() && isNamePart(text.charAt(position))) {
            position++;
        }
        word.append(position == start ? '$' : Word.UNKNOWN);
        return true;
    }

    private static boolean isNamePart(char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }

    private boolean skipAnsiString() {
        position++;
        while (position < text.length()) {
            char c = text.charAt(position);
            position += c == '\\' ? 2 : 1;
            if (c == '\'') {
                return true;
            }
        }
        return false;
    }

    private boolean backticks() {
        word.append(Word.UNKNOWN);
        position++;
        while (position < text.length()) {
            char c = text.charAt(position);
            position += c == '\\' ? 2 : 1;
            if (c == '`') {
                return true;
            }
        }
        return false;
    }

    /** From an opening bracket to behind the closing one; quotes inside are honoured. */
    private boolean skipBalanced(char opening, char closing) {
        int depth = 0;
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == '\\') {
                position += 2;
                continue;
            }
            if (c == '\'' || c == '"') {
                int end = closingQuote(c);
                if (end < 0) {
                    return false;
                }
                position = end + 1;
                continue;
            }
            position++;
            if (c == opening) {
                depth++;
            } else if (c == closing && --depth == 0) {
                return true;
            }
        }
        return false;
    }

    private int closingQuote(char quote) {
        for (int i = position + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && quote == '"') {
                i++;
            } else if (c == quote) {
                return i;
            }
        }
        return -1;
    }

    private void beginWord() {
        if (wordStart < 0) {
            wordStart = position;
        }
    }

    private void dropWord() {
        word.setLength(0);
        wordStart = -1;
    }

    private void endWord() {
        if (wordStart < 0) {
            return;
        }
        if (!isRedirectTarget) {
            boolean isLeading = current.isEmpty() && LEADING.contains(word.toString());
            if (!isLeading) {
                current.add(new ShellWord(new Word(word.toString()), wordStart, position));
            }
        }
        isRedirectTarget = false;
        dropWord();
    }

    private void endCommand() {
        endWord();
        isRedirectTarget = false;
        if (!current.isEmpty()) {
            commands.add(List.copyOf(current));
            current = new ArrayList<>();
        }
    }
}
