package dev.plainsail.epp.scheduling.filter;

import dev.plainsail.epp.scheduling.Candidates;
import dev.plainsail.epp.scheduling.Filter;
import dev.plainsail.epp.scheduling.InferenceRequest;

/**
 * Where a prompt goes that nobody is known to hold: to the endpoint with the highest hash of the prompt's beginning and
 * the endpoint's name (rendezvous hashing), unless that one has more than its bounded share of the requests in flight;
 * then to the next. So replicas of the picker agree without talking, and a restarted one finds the caches that it left.
 * As soon as somebody holds a part of the prompt, all candidates stay.
 *
 * <p>Thaler and Ravishankar, "Using name-based mappings to increase hit rates", 1998; bounded loads: Mirrokni, Thorup and
 * Zadimoghaddam, 2018.
 */
public final class RendezvousFilter implements Filter {
    private final int keyBlocks;
    private final double loadBound;

    /**
     * @param keyBlocks how much of the prompt's beginning is its key
     * @param loadBound how many times the mean of requests in flight an endpoint may have; above 1
     */
    public RendezvousFilter(int keyBlocks, double loadBound) {
        this.keyBlocks = keyBlocks;
        this.loadBound = loadBound;
    }

    @Override
    public Candidates filter(InferenceRequest request, Candidates candidates) {
        int size = candidates.size();
        if (request.prefix().size() == 0 || size <= 1) {
            return candidates;
        }
        long inFlight = 0;
        for (int position = 0; position < size; position++) {
            if (candidates.prefixMatch(position) > 0) {
                return candidates;
            }
            inFlight += candidates.inFlight(position);
        }
        double most = Math.ceil(loadBound * (inFlight + 1) / size);
        long key = request.prefix().at(Math.min(request.prefix().size(), keyBlocks) - 1);
        int best = -1;
        long highest = 0;
        for (int position = 0; position < size; position++) {
            long weight = weight(key, candidates.endpoint(position).name());
            boolean hasRoom = candidates.inFlight(position) < most;
            if (hasRoom && (best < 0 || Long.compareUnsigned(weight, highest) > 0)) {
                best = position;
                highest = weight;
            }
        }
        int chosen = best;
        return chosen < 0 ? candidates : candidates.where(position -> position == chosen);
    }

    private static long weight(long key, String name) {
        long mixed = key ^ name.hashCode() * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
        return mixed ^ mixed >>> 32;
    }
}
