package dev.plainsail.webhook.command;

import java.util.ArrayList;
import java.util.List;

/** The lines that differ, with three lines around each place, as {@code diff -u} shows them. Quadratic, for manifests. */
final class LineDiff {

    private static final int CONTEXT = 3;

    private LineDiff() {}

    /** Lines with {@code +}, {@code -} or a blank in front, {@code @@} between places; empty if nothing differs. */
    static List<String> of(List<String> before, List<String> after) {
        List<String> edits = edits(before, after);
        List<String> result = new ArrayList<>();
        int shown = -1;
        for (int i = 0; i < edits.size(); i++) {
            if (edits.get(i).startsWith(" ")) {
                continue;
            }
            int from = Math.max(shown + 1, i - CONTEXT);
            if (from > shown + 1 || shown < 0) {
                result.add("@@");
            }
            int to = Math.min(edits.size() - 1, i + CONTEXT);
            for (int j = from; j <= to; j++) {
                result.add(edits.get(j));
            }
            shown = Math.max(shown, to);
        }
        return result;
    }

    /** By the longest common subsequence. */
    private static List<String> edits(List<String> before, List<String> after) {
        int[][] common = new int[before.size() + 1][after.size() + 1];
        for (int i = before.size() - 1; i >= 0; i--) {
            for (int j = after.size() - 1; j >= 0; j--) {
                common[i][j] = before.get(i).equals(after.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        List<String> edits = new ArrayList<>();
        int i = 0;
        int j = 0;
        while (i < before.size() || j < after.size()) {
            if (i < before.size() && j < after.size() && before.get(i).equals(after.get(j))) {
                edits.add(" " + before.get(i++));
                j++;
            } else if (i < before.size() && (j == after.size() || common[i + 1][j] >= common[i][j + 1])) {
                edits.add("-" + before.get(i++));
            } else {
                edits.add("+" + after.get(j++));
            }
        }
        return edits;
    }
}
