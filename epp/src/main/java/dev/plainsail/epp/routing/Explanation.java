package dev.plainsail.epp.routing;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What one decision was made of, taken before those who learn from decisions hear of it. Costs as much as the decision, so
 * it is taken only where somebody wants it.
 */
final class Explanation {
    private final DecisionLog log;
    private final InferenceRequest request;
    private final PoolRouting pool;
    private final String profile;
    private final int promptBlocks;
    private final List<Decision.Option> options;

    Explanation(DecisionLog log, InferenceRequest request, PoolRouting pool, Profile profile, Candidates narrowed) {
        this.log = log;
        this.request = request;
        this.pool = pool;
        this.profile = profile.name();
        this.promptBlocks = narrowed.promptBlocks();
        this.options = options(request, profile, narrowed);
    }

    private static List<Decision.Option> options(InferenceRequest request, Profile profile, Candidates narrowed) {
        double[] totals = profile.totals(request, narrowed);
        List<Map<String, Double>> scores = profile.scores(request, narrowed);
        List<Decision.Option> options = new ArrayList<>(narrowed.size());
        for (int position = 0; position < narrowed.size(); position++) {
            options.add(new Decision.Option(
                    narrowed.endpoint(position).hostPort(),
                    totals[position],
                    scores.get(position),
                    narrowed.prefixMatch(position),
                    narrowed.inFlight(position),
                    narrowed.pendingPrefill(position)));
        }
        return options;
    }

    /** Keeps the decision, and tells the client in a header if it asked. */
    void keep(Verdict.Forward forward, Map<String, String> headers) {
        Decision decision = new Decision(
                request.ticket(),
                pool.pool().name(),
                profile,
                request.model(),
                forward.model(),
                request.promptTokens(),
                promptBlocks,
                pool.pool().current().endpoints().size(),
                options,
                forward.inOrder().stream().map(endpoint -> endpoint.hostPort()).toList());
        log.add(decision);
        if (log.isAskedBy(request)) {
            headers.put(DecisionLog.HEADER, decision.headerText());
        }
    }
}
