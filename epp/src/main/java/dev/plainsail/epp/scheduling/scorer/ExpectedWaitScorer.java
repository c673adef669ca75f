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
 * {@value #GIVEN_UP} times more, however long the holder's queue: all of it stands in the wait already. Two holders have no such
 * claim: a crowded one, as in consistent hashing with bounded loads (Mirrokni, Thorup and Zadimoghaddam, 2018), else a
 * prefix that everybody shares would draw everybody to one endpoint; and one that is computing the very prompt, so equal
 * requests at once spread evenly.
 *
 * <p>The weights were chosen by simulation, see the table in the README; three passes over the candidates.
 */
public final class ExpectedWaitScorer implements Scorer {
    /** Less than this is not worth leaving a tie for: a step of an engine's scheduler. */
    private static final double BASE_SECONDS = 0.02;

    /** Ties within this part count as equal, and are broken by the fewest in flight. */
    private static final double TIE = 0.01;

    private static final double GIVEN_UP = 5;

    /** By how much one more request slows the others: a tenth of a decoding step. */
    private static final double SECONDS_PER_REQUEST = 0.002;

    /** Who has more than this many times the mean of requests in flight is crowded; as for {@code rendezvous-filter}. */
    private static final double LOAD_BOUND = 1.25;

    @Override
    public void score(InferenceRequest request, Candidates candidates, double[] scores) {
        double roomFor = roomFor(candidates);
        int mostClaimed = 0;
        for (int position = 0; position < candidates.size(); position++) {
            mostClaimed = Math.max(mostClaimed, claimed(candidates, position, roomFor));
        }
        double soonest = Double.POSITIVE_INFINITY;
        for (int position = 0; position < candidates.size(); position++) {
            double givenUp = (double) (mostClaimed - claimed(candidates, position, roomFor)) * PrefixIndex.BLOCK_TOKENS;
            double tokens = (double) candidates.pendingWork(position)
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

    /** Requests in flight above which an endpoint is crowded; one more than its share never makes it so. */
    private static double roomFor(Candidates candidates) {
        long inFlight = 0;
        for (int position = 0; position < candidates.size(); position++) {
            inFlight += candidates.inFlight(position);
        }
        return LOAD_BOUND * inFlight / candidates.size() + 1;
    }

    /** Blocks of the prompt that it holds, if it has room and need not compute them first. */
    private static int claimed(Candidates candidates, int position, double roomFor) {
        int held = candidates.prefixMatch(position);
        return candidates.inFlight(position) > roomFor || isComputing(candidates, position, held) ? 0 : held;
    }

    /** All of the prompt and as much still to be computed: most likely this very prompt, so waiting saves nothing. */
    private static boolean isComputing(Candidates candidates, int position, int held) {
        return candidates.uncachedTokens(position) < PrefixIndex.BLOCK_TOKENS
                && candidates.pendingWork(position) >= (long) held * PrefixIndex.BLOCK_TOKENS;
    }
}
