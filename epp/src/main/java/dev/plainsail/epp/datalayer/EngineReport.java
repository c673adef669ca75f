package dev.plainsail.epp.datalayer;

import java.util.Set;

/**
 * What one scrape told: the load, counters that only their growth makes sense of, and the model names on its lines.
 *
 * @param models as labelled by the engine; empty if no line names one
 */
public record EngineReport(Load load, Counters counters, Set<String> models) {
    public EngineReport {
        models = Set.copyOf(models);
    }

    /**
     * Totals since the engine started; NaN for what it does not report.
     *
     * @param processStart Unix time; another one is another process
     * @param prefillTokens tokens computed in prefills that have ended
     * @param prefillSeconds time spent in them, overlaps counted twice
     * @param prefillRequests how many
     * @param computedPromptTokens prompt tokens that were computed and not found in a cache
     * @param prefixQueriedTokens prompt tokens looked up in the prefix cache
     * @param prefixHitTokens of those, found
     * @param firstTokens requests that got their first token
     */
    public record Counters(
            double processStart,
            double prefillTokens,
            double prefillSeconds,
            double prefillRequests,
            double computedPromptTokens,
            double prefixQueriedTokens,
            double prefixHitTokens,
            double firstTokens) {
        public static final Counters UNKNOWN = new Counters(
                Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);

        /** Whether the engine was restarted between the earlier report and this one. */
        public boolean restartedSince(Counters earlier) {
            return processStart > earlier.processStart
                    || prefillRequests < earlier.prefillRequests
                    || prefixQueriedTokens < earlier.prefixQueriedTokens
                    || computedPromptTokens < earlier.computedPromptTokens;
        }
    }
}
