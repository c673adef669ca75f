package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.datalayer.Load;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/** The free part of the KV cache. */
public final class KvCacheScorer implements Scorer {
    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        double[] used = Known.of(candidates, Load::kvCacheUsed);
        for (int position = 0; position < used.length; position++) {
            scores[position] = 1 - used[position];
        }
    }
}
