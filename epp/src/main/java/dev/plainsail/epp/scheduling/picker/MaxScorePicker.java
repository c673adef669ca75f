package dev.plainsail.epp.scheduling.picker;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Picker;
import java.util.random.RandomGenerator;

/**
 * The highest totals first. Of equal ones the endpoint with fewer requests of ours in flight, then a random one, so that
 * equal requests spread evenly even between two reports of the engines.
 */
public final class MaxScorePicker implements Picker {
    /** Sums of the same scores in another order differ by less. */
    private static final double EQUAL = 1e-9;

    @Override
    public int[] pick(Candidates candidates, double[] totals, int limit, RandomGenerator random) {
        int count = Math.min(limit, candidates.size());
        int[] chosen = new int[count];
        boolean[] taken = new boolean[count > 1 ? candidates.size() : 0];
        for (int i = 0; i < count; i++) {
            chosen[i] = best(candidates, totals, taken, random);
            if (count > 1) {
                taken[chosen[i]] = true;
            }
        }
        return chosen;
    }

    private static int best(Candidates candidates, double[] totals, boolean[] taken, RandomGenerator random) {
        int best = -1;
        int equals = 0;
        for (int position = 0; position < candidates.size(); position++) {
            if (taken.length > 0 && taken[position]) {
                continue;
            }
            int order = best < 0 ? 1 : compare(candidates, totals, position, best);
            if (order > 0) {
                best = position;
                equals = 1;
            } else if (order == 0 && random.nextInt(++equals) == 0) {
                best = position;
            }
        }
        return best;
    }

    private static int compare(Candidates candidates, double[] totals, int left, int right) {
        double difference = totals[left] - totals[right];
        if (Math.abs(difference) > EQUAL) {
            return difference > 0 ? 1 : -1;
        }
        return Integer.compare(candidates.inFlight(right), candidates.inFlight(left));
    }
}
