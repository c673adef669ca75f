package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.datalayer.Load.Adapters;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/** Whether the endpoint has the adapter loaded (1), has room for it (0.8), is about to load it (0.6), or would swap (0). */
public final class LoraAffinityScorer implements Scorer {
    private static final double LOADED = 1.0;
    private static final double ROOM = 0.8;
    private static final double COMING = 0.6;

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        String model = request.model();
        for (int position = 0; position < candidates.size(); position++) {
            Adapters adapters = candidates.load(position).adapters();
            if (model != null && adapters.running().contains(model)) {
                scores[position] = LOADED;
            } else if (adapters.running().size() + adapters.waiting().size() < adapters.max()) {
                scores[position] = ROOM;
            } else {
                scores[position] = model != null && adapters.waiting().contains(model) ? COMING : 0;
            }
        }
    }
}
