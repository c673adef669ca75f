package dev.plainsail.epp.datalayer;

import java.util.Map;
import java.util.Set;

/**
 * What an engine last reported about itself. NaN and 0 blocks stand for what it did not say: unknown is neither empty
 * nor full, and never a reason to leave an endpoint out.
 *
 * @param readAtNanos when the report was asked for
 * @param waiting requests in the engine's queue
 * @param running requests that the engine works on
 * @param kvCacheUsed fraction of the KV cache's blocks in use, 0 to 1
 * @param kvBlockTokens tokens in a KV block; 0 if unknown
 * @param kvBlocks KV blocks that the engine has; 0 if unknown
 * @param attributes values of metrics that the configuration names, under its names
 */
public record Load(
        long readAtNanos,
        double waiting,
        double running,
        double kvCacheUsed,
        int kvBlockTokens,
        int kvBlocks,
        Adapters adapters,
        Map<String, Double> attributes) {

    public Load {
        attributes = Map.copyOf(attributes);
    }

    /** Without values that only a configuration gives a meaning. */
    public Load(
            long readAtNanos,
            double waiting,
            double running,
            double kvCacheUsed,
            int kvBlockTokens,
            int kvBlocks,
            Adapters adapters) {
        this(readAtNanos, waiting, running, kvCacheUsed, kvBlockTokens, kvBlocks, adapters, Map.of());
    }

    /** LoRA adapters in use. {@code max} 0: the engine serves none, or does not say. */
    public record Adapters(Set<String> running, Set<String> waiting, int max) {
        public static final Adapters NONE = new Adapters(Set.of(), Set.of(), 0);

        public Adapters {
            running = Set.copyOf(running);
            waiting = Set.copyOf(waiting);
        }
    }

    /** Nothing was reported, or it is too old. */
    public static final Load UNKNOWN = new Load(0, Double.NaN, Double.NaN, Double.NaN, 0, 0, Adapters.NONE);

    /** Tokens that the KV cache can hold; 0 if unknown. */
    public long kvTokens() {
        return (long) kvBlockTokens * kvBlocks;
    }
}
