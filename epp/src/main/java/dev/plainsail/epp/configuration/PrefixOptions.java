package dev.plainsail.epp.configuration;

import dev.plainsail.epp.prefix.PrefixIndex;

/**
 * How prefixes are remembered.
 *
 * @param maxBlocks deeper blocks of a prompt are not looked at
 * @param capacityBlocks that an endpoint is taken to hold, while its engine does not say
 * @param learnt whether what the engine says replaces {@code capacityBlocks}
 */
public record PrefixOptions(int maxBlocks, int capacityBlocks, boolean learnt) {
    public static final PrefixOptions DEFAULT = new PrefixOptions(2048, PrefixIndex.DEFAULT_CAPACITY_BLOCKS, true);

    private static final int MANY = Integer.MAX_VALUE;

    static PrefixOptions read(Parameters p) {
        int blockTokens = Math.max(PrefixIndex.BLOCK_TOKENS, p.whole("blockSizeTokens", 16, 1, MANY));
        p.accepted("blockSize");
        int blocks = p.whole("maxPrefixBlocksToMatch", 2048, 1, MANY);
        int tokens = p.whole("maxPrefixTokensToMatch", 131_072, 0, MANY);
        int capacity = p.whole("lruCapacityPerServer", PrefixIndex.DEFAULT_CAPACITY_BLOCKS, 1, MANY);
        long tokensToMatch = tokens > 0 ? tokens : (long) blocks * blockTokens;
        long capacityTokens = (long) capacity * blockTokens;
        return new PrefixOptions(ours(tokensToMatch), ours(capacityTokens), p.flag("autoTune", true));
    }

    /** Our blocks are always of one size, so a limit in larger ones is more of ours. */
    private static int ours(long tokens) {
        return Math.clamp(tokens / PrefixIndex.BLOCK_TOKENS, 1, MANY);
    }
}
