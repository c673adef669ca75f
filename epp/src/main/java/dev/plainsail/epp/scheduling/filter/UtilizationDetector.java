package dev.plainsail.epp.scheduling.filter;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Detector;
import dev.plainsail.epp.scheduling.Filter;
import dev.plainsail.epp.scheduling.InferenceRequest;

/**
 * Full by what the engines report: the mean of max(queue / limit, KV use / limit). An endpoint without a report is
 * left out of the mean, because unknown is neither empty nor full; if nobody reports, the pool counts as idle.
 */
public final class UtilizationDetector implements Detector, Filter {
    private final double queueLimit;
    private final double kvLimit;
    private final double headroom;

    /** @param headroom part by which the filter lets endpoints exceed the limits */
    public UtilizationDetector(double queueLimit, double kvLimit, double headroom) {
        this.queueLimit = queueLimit;
        this.kvLimit = kvLimit;
        this.headroom = headroom;
    }

    @Override
    public double saturation(Candidates candidates) {
        double sum = 0;
        int known = 0;
        for (int position = 0; position < candidates.size(); position++) {
            double use = use(candidates, position);
            if (!Double.isNaN(use)) {
                sum += use;
                known++;
            }
        }
        return candidates.size() == 0 ? 1 : known == 0 ? 0 : sum / known;
    }

    @Override
    public Candidates filter(InferenceRequest request, Candidates candidates) {
        Candidates left = candidates.where(position -> !(use(candidates, position) > 1 + headroom));
        return left.size() == 0 ? candidates : left;
    }

    /** NaN when neither number is known. */
    private double use(Candidates candidates, int position) {
        double queue = candidates.load(position).waiting() / queueLimit;
        double kv = candidates.load(position).kvCacheUsed() / kvLimit;
        return Double.isNaN(queue) ? kv : Double.isNaN(kv) ? queue : Math.max(queue, kv);
    }
}
