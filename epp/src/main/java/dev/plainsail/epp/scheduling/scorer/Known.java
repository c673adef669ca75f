package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.datalayer.Load;
import dev.plainsail.epp.scheduling.Candidates;
import java.util.Arrays;
import java.util.function.ToDoubleFunction;

/** One reported number of each candidate; who did not report gets the mean of those who did, so it is neither best nor worst. */
final class Known {
    private Known() {}

    /** @return one number a position; all 0 when nobody reported */
    static double[] of(Candidates candidates, ToDoubleFunction<Load> number) {
        int size = candidates.size();
        double[] values = new double[size];
        double sum = 0;
        int known = 0;
        for (int position = 0; position < size; position++) {
            values[position] = number.applyAsDouble(candidates.load(position));
            if (!Double.isNaN(values[position])) {
                sum += values[position];
                known++;
            }
        }
        if (known == 0) {
            Arrays.fill(values, 0);
        } else if (known < size) {
            double mean = sum / known;
            for (int position = 0; position < size; position++) {
                values[position] = Double.isNaN(values[position]) ? mean : values[position];
            }
        }
        return values;
    }
}
