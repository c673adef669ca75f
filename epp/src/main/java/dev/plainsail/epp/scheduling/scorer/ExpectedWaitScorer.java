package dev.plainsail.epp.scheduling.scorer;

import dev.plainsail.epp.prefix.PrefixIndex;
import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scorer;

/**
 * Who would give the first token soonest, in seconds: the prefill that is before the request, its own less what the
 * endpoint holds, both at the speed at which that engine was seen to compute, and a little for each request in flight,
 * which slows a batch. The soonest is 1; twice as late is one half.
 *
 * <p>Giving up a prefix that somebody holds costs the fleet more than this request's wait: the tokens are computed again,
 * while others wait for it, and the copy drives something else out of a cache. So what is given up counts
 * {@value #GIVEN_UP} times more. A holder that still has as much before it as it holds counts as none: it is computing
 * that very prefix, or is too busy, and waiting for it saves nothing. So equal requests at once spread evenly.
 *
 * <p>The weights were chosen by simulation, see the table in the README; two passes over the candidates.
 */
public final class ExpectedWaitScorer implements Scorer {
    /** Less than this is not worth leaving a tie for: a step of an engine's scheduler. */
    private static final double BASE_SECONDS = 0.02;

    /** Ties within this part count as equal, and are broken by the fewest in flight. */
    private static final double TIE = 0.01;

    private static final double GIVEN_UP = 2;

    /** By how much one more request slows the others: a tenth of a decoding step. */
    private static final double SECONDS_PER_REQUEST = 0.002;

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        double mostReusable = 0;
        for (int position = 0; position < candidates.size(); position++) {
            mostReusable = Math.max(mostReusable, reusable(candidates, position));
        }
        double soonest = Double.POSITIVE_INFINITY;
        for (int position = 0; position < candidates.size(); position++) {
            double givenUp = mostReusable - reusable(candidates, position);
            double tokens = (double) candidates.pendingPrefill(position)
                    + candidates.uncachedTokens(position)
                    + GIVEN_UP * givenUp;
            scores[position] = BASE_SECONDS
                    + tokens / candidates.tokensPerSecond(position)
                    + SECONDS_PER_REQUEST * candidates.inFlight(position);
            soonest = Math.min(soonest, scores[position]);
        }
        for (int position = 0; position < candidates.size(); position++) {
            double later = scores[position] / soonest;
            scores[position] = later <= 1 + TIE ? 1 : 1 / later;
        }
    }

    /** Tokens of the prompt that it holds beyond what it has before it. */
    private static double reusable(Candidates candidates, int position) {
        double held = (double) candidates.prefixMatch(position) * PrefixIndex.BLOCK_TOKENS;
        return Math.max(0, held - candidates.pendingPrefill(position));
    }
}
