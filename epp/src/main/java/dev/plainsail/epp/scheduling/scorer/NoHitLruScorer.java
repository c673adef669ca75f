package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.ChoiceListener;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Spreads prompts that nobody holds: the endpoint that longest had no such prompt is 1, the one that just had one 0. As
 * soon as somebody holds a part of the prompt, all are 0.5. One short lock; at most {@code size} names are remembered.
 */
public final class NoHitLruScorer implements Scorer, ChoiceListener {
    private static final double NEUTRAL = 0.5;

    private final Map<String, Long> lastUse;
    private long uses;

    public NoHitLruScorer(int size) {
        lastUse = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                return size() > size;
            }
        };
    }

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        int size = candidates.size();
        if (anyHit(candidates) || size == 1) {
            Arrays.fill(scores, 0, size, size == 1 ? 1 : NEUTRAL);
            return;
        }
        long[] used = new long[size];
        synchronized (this) {
            for (int position = 0; position < size; position++) {
                used[position] =
                        lastUse.getOrDefault(candidates.endpoint(position).name(), 0L);
            }
        }
        long[] order = used.clone();
        Arrays.sort(order);
        for (int position = 0; position < size; position++) {
            int rank = Arrays.binarySearch(order, used[position]);
            while (rank > 0 && order[rank - 1] == used[position]) {
                rank--;
            }
            scores[position] = 1 - (double) rank / (size - 1);
        }
    }

    @Override
    public void chosen(InferenceRequest request, Candidates candidates, int position) {
        if (!anyHit(candidates)) {
            synchronized (this) {
                lastUse.remove(candidates.endpoint(position).name());
                lastUse.put(candidates.endpoint(position).name(), ++uses);
            }
        }
    }

    private static boolean anyHit(Candidates candidates) {
        for (int position = 0; position < candidates.size(); position++) {
            if (candidates.prefixMatch(position) > 0) {
                return true;
            }
        }
        return false;
    }
}
