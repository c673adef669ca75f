package dev.plainsail.epp.scheduling;

import java.util.random.RandomGenerator;

/** Chooses by the totals. Called on event loops, for every request; safe from several threads. */
public interface Picker {
    /**
     * @param candidates at least one
     * @param totals weighted sums of scores by position; finite
     * @param limit how many endpoints are wanted, the choice and its fallbacks; at least 1
     * @return positions, the chosen one first; at least one, at most {@code limit}
     */
    int[] pick(Candidates candidates, double[] totals, int limit, RandomGenerator random);
}
