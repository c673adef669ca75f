package dev.plainsail.e2e.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What the demo prints: numbered steps, the evidence under each, and a table of all evidence at the end. */
final class Screen {
    private static final int INDENT = 4;

    private final PrintStream out;
    private final boolean colours;
    private final List<String[]> proved = new ArrayList<>();
    private int steps;

    Screen(PrintStream out, boolean colours) {
        this.out = out;
        this.colours = colours;
    }

    void step(String title) {
        steps++;
        out.println();
        out.println(styled("1", steps + "  " + title));
    }

    /** A command as the reader would type it. */
    void command(String text) {
        out.println(" ".repeat(INDENT) + styled("36", "$ " + text));
    }

    void line(String text) {
        text.lines().forEach(line -> out.println(" ".repeat(INDENT) + line));
    }

    /** Evidence that stands in the table too. */
    void proof(String what, String evidence) {
        proved.add(new String[] {what, evidence});
        out.println(" ".repeat(INDENT) + styled("32", "✓ ") + what + ": " + evidence);
    }

    void table() {
        int width = proved.stream().mapToInt(row -> row[0].length()).max().orElse(0);
        out.println();
        out.println(styled("1", "What was shown"));
        for (String[] row : proved) {
            out.println("  " + row[0] + " ".repeat(width - row[0].length()) + "  " + row[1]);
        }
    }

    private String styled(String code, String text) {
        return colours ? "\033[" + code + "m" + text + "\033[0m" : text;
    }
}
