package dev.plainsail.epp.scheduling.filter;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Detector;
import dev.plainsail.epp.scheduling.Filter;
import dev.plainsail.epp.scheduling.InferenceRequest;

/** Full by our own requests in flight, their tokens, or both. As a filter it drops full endpoints, also the last one. */
public final class ConcurrencyDetector implements Detector, Filter {
    /** What is counted; in lower case these are llm-d's words. */
    public enum Mode {
        REQUESTS,
        TOKENS,
        HYBRID
    }

    private final Mode mode;
    private final double maxRequests;
    private final double maxTokens;
    private final double headroom;

    /**
     * @param maxRequests that an endpoint may have in flight
     * @param maxTokens that an endpoint may have before it
     * @param headroom part by which the filter lets endpoints exceed them
     */
    public ConcurrencyDetector(Mode mode, double maxRequests, double maxTokens, double headroom) {
        this.mode = mode;
        this.maxRequests = maxRequests;
        this.maxTokens = maxTokens;
        this.headroom = headroom;
    }

    @Override
    public double saturation(Candidates candidates) {
        double sum = 0;
        for (int position = 0; position < candidates.size(); position++) {
            sum += use(candidates, position);
        }
        return candidates.size() == 0 ? 1 : sum / candidates.size();
    }

    @Override
    public Candidates filter(InferenceRequest request, Candidates candidates) {
        return candidates.where(position -> use(candidates, position) < 1 + headroom);
    }

    private double use(Candidates candidates, int position) {
        double requests = candidates.inFlight(position) / maxRequests;
        double tokens =
                ((double) candidates.pendingPrefill(position) + candidates.expectedOutput(position)) / maxTokens;
        return switch (mode) {
            case REQUESTS -> requests;
            case TOKENS -> tokens;
            case HYBRID -> Math.max(requests, tokens);
        };
    }
}
