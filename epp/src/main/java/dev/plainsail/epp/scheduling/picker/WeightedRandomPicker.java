package dev.plainsail.epp.scheduling.picker;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Picker;
import java.util.random.RandomGenerator;

/**
 * Random, in proportion to the totals: the A-Res reservoir of Efraimidis and Spirakis, key = U^(1/total), largest keys
 * first. All totals 0: any, each as likely.
 */
public final class WeightedRandomPicker implements Picker {
    @Override
    public int[] pick(Candidates candidates, double[] totals, int limit, RandomGenerator random) {
        int size = candidates.size();
        double[] keys = new double[size];
        boolean anyWeight = false;
        for (int position = 0; position < size; position++) {
            anyWeight |= totals[position] > 0;
        }
        for (int position = 0; position < size; position++) {
            // The logarithm of the key: same order, and no underflow for small totals.
            double exponential = Math.log(1 - random.nextDouble());
            double weight = anyWeight ? totals[position] : 1;
            keys[position] = weight > 0 ? exponential / weight : Double.NEGATIVE_INFINITY;
        }
        int[] chosen = new int[Math.min(limit, size)];
        boolean[] taken = new boolean[size];
        for (int i = 0; i < chosen.length; i++) {
            int best = -1;
            for (int position = 0; position < size; position++) {
                if (!taken[position] && (best < 0 || keys[position] > keys[best])) {
                    best = position;
                }
            }
            chosen[i] = best;
            taken[best] = true;
        }
        return chosen;
    }
}
