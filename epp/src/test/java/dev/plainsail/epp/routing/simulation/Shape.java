package dev.plainsail.epp.routing.simulation;

import dev.plainsail.epp.prefix.BlockHashes;
import java.util.Map;

/** One request of a workload. */
record Shape(double arrival, int inputTokens, int outputTokens, BlockHashes prefix) {
    /** Tokens of the prompt that the cache holds from its beginning. */
    int cached(Map<Long, Boolean> cache) {
        int blocks = 0;
        while (blocks < prefix.size() && cache.containsKey(prefix.at(blocks))) {
            blocks++;
        }
        return blocks * 64;
    }

    /** The prompt was computed: its blocks are in the cache now, the first ones used last, so that tails go first. */
    void touch(Map<Long, Boolean> cache, int limit) {
        for (int block = prefix.size() - 1; block >= 0; block--) {
            cache.put(prefix.at(block), true);
        }
        SimulatedReplica.shrink(cache, limit);
    }
}
