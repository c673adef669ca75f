package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/** 1 where the endpoint's label has the value of the request's header. */
public final class HeaderLabelAffinityScorer implements Scorer {
    private final String header;
    private final String label;

    /** @param header in lower case */
    public HeaderLabelAffinityScorer(String header, String label) {
        this.header = header;
        this.label = label;
    }

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        String wanted = request.headers().get(header);
        for (int position = 0; position < candidates.size(); position++) {
            String held = candidates.endpoint(position).labels().get(label);
            scores[position] = wanted != null && wanted.equals(held) ? 1 : 0;
        }
    }
}
