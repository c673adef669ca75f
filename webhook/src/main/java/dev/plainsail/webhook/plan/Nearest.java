package dev.plainsail.webhook.plan;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** "Did you mean": the closest of several words, if it is close enough to be meant. */
public final class Nearest {

    private Nearest() {}

    public static Optional<String> of(String word, Collection<String> candidates) {
        int limit = Math.max(2, word.length() / 3);
        return candidates.stream()
                .filter(candidate -> Math.abs(candidate.length() - word.length()) <= limit || candidate.contains(word))
                .min(Comparator.<String>comparingInt(candidate -> distance(word, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(candidate -> distance(word, candidate) <= limit);
    }

    /** Edits, with the swap of two neighbours as one. Quadratic; callers bound the length. */
    static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            cost[i][0] = i;
        }
        for (int j = 0; j <= b.length(); j++) {
            cost[0][j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                cost[i][j] = Math.min(Math.min(cost[i - 1][j], cost[i][j - 1]) + 1, cost[i - 1][j - 1] + change);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.length()][b.length()];
    }
}
