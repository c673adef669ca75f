package dev.plainsail.epp.configuration;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** "Did you mean": the known name that takes fewest changes. */
public final class Nearest {
    private Nearest() {}

    /** A clause to end a sentence with: the nearest name, if one is near, and all known ones. */
    public static String hint(String wrong, Collection<String> known) {
        Optional<String> nearest = known.stream()
                .filter(name -> distance(wrong, name) <= Math.max(2, wrong.length() / 4))
                .min(Comparator.comparingInt(name -> distance(wrong, name)));
        String list = known.isEmpty() ? "none is there" : "known are " + String.join(", ", known);
        return nearest.map(name -> "; did you mean " + name + "? ").orElse("; ") + list;
    }

    /** Levenshtein. */
    private static int distance(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int replaced = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[right.length()];
    }
}
