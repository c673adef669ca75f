package dev.plainsail.e2e.node;

import java.util.Map;

/** {@code $(NAME)} in commands, arguments and variables, as the kubelet replaces it. */
final class Expansion {

    private Expansion() {}

    /**
     * Known names are replaced; {@code $(UNKNOWN)} stays as it is; {@code $$} is a dollar, so {@code $$(NAME)} becomes {@code
     * $(NAME)}; any other dollar stays.
     */
    static String expand(String text, Map<String, String> variables) {
        StringBuilder out = new StringBuilder(text.length());
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (c != '$' || i + 1 == text.length()) {
                out.append(c);
                i++;
                continue;
            }
            char next = text.charAt(i + 1);
            int close = next == '(' ? text.indexOf(')', i) : -1;
            if (next == '$') {
                out.append('$');
                i += 2;
            } else if (close > 0) {
                String name = text.substring(i + 2, close);
                String whole = text.substring(i, close + 1);
                out.append(variables.getOrDefault(name, whole));
                i = close + 1;
            } else {
                // "$(" that is never closed, or a dollar before something else: both characters stay
                out.append(c).append(next);
                i += 2;
            }
        }
        return out.toString();
    }
}
