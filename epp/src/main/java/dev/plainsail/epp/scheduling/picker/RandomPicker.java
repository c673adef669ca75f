package dev.plainsail.epp.scheduling.picker;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Picker;
import java.util.random.RandomGenerator;

/** Any of the candidates, each as likely; the totals do not matter. */
public final class RandomPicker implements Picker {
    @Override
    public int[] pick(Candidates candidates, double[] totals, int limit, RandomGenerator random) {
        int size = candidates.size();
        int count = Math.min(limit, size);
        int[] chosen = new int[count];
        if (count == 1) {
            chosen[0] = random.nextInt(size);
            return chosen;
        }
        int[] shuffled = new int[size];
        for (int i = 0; i < size; i++) {
            int j = random.nextInt(i + 1);
            shuffled[i] = shuffled[j];
            shuffled[j] = i;
        }
        System.arraycopy(shuffled, 0, chosen, 0, count);
        return chosen;
    }
}
