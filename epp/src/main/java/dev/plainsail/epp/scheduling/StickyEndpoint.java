package dev.plainsail.epp.scheduling;

import org.jspecify.annotations.Nullable;

/** Keeps a request on the endpoint that something names, while that one is a candidate. */
interface StickyEndpoint extends Filter, Scorer {
    /** The name of the endpoint that the request belongs to; null: none. */
    @Nullable
    String endpointOf(InferenceRequest request);

    @Override
    default Candidates filter(InferenceRequest request, Candidates candidates) {
        String named = endpointOf(request);
        if (named == null) {
            return candidates;
        }
        Candidates left = candidates.where(
                position -> candidates.endpoint(position).name().equals(named));
        return left.size() == 0 ? candidates : left;
    }

    @Override
    default void score(InferenceRequest request, Candidates candidates, double[] scores) {
        String named = endpointOf(request);
        for (int position = 0; position < candidates.size(); position++) {
            scores[position] = candidates.endpoint(position).name().equals(named) ? 1 : 0;
        }
    }
}
