package dev.plainsail.webhook.plan;

import java.util.regex.Pattern;

/** One word as a POSIX shell text that gives exactly this word. */
public final class ShellQuote {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private ShellQuote() {}

    public static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
