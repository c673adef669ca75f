package dev.plainsail.epp.scheduling;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.Load;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.prefix.BlockHashes;
import dev.plainsail.epp.prefix.PrefixIndex;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The endpoints among which one request chooses, each with the numbers of one moment: what it last reported (frozen),
 * what was in flight when the snapshot was taken, and how much of the prompt it is believed to hold (computed once).
 * Narrowing copies positions, never numbers. Used by one thread.
 */
public final class Candidates {
    /** The numbers of all candidates; shared by the narrowed views. */
    private static final class Snapshot {
        final List<Endpoint> endpoints;
        final EndpointLoad[] live;
        final Load[] loads;
        final int[] inFlight;
        final int[] pendingPrefill;
        final int[] pendingWork;
        final double[] tokensPerSecond;
        final int[] prefixMatch;
        final int promptBlocks;
        final int promptTokens;

        Snapshot(List<Endpoint> endpoints, BlockHashes prefix, int promptTokens) {
            int count = endpoints.size();
            this.endpoints = endpoints;
            this.live = new EndpointLoad[count];
            this.loads = new Load[count];
            this.inFlight = new int[count];
            this.pendingPrefill = new int[count];
            this.pendingWork = new int[count];
            this.tokensPerSecond = new double[count];
            this.prefixMatch = new int[count];
            this.promptBlocks = prefix.size();
            this.promptTokens = promptTokens;
        }
    }

    /** Where a snapshot's numbers come from. */
    public interface Source {
        EndpointLoad live(Endpoint endpoint);

        /** The report, or {@link Load#UNKNOWN} when it is too old to be believed. */
        Load fresh(EndpointLoad live, long nowNanos);

        PrefixIndex prefixes();
    }

    private final Snapshot all;
    private final int[] positions;
    private final int size;

    private Candidates(Snapshot all, int[] positions, int size) {
        this.all = all;
        this.positions = positions;
        this.size = size;
    }

    /** @param endpoints in slot order, as an {@link dev.plainsail.epp.pool.EndpointSet} has them */
    public static Candidates of(InferenceRequest request, List<Endpoint> endpoints, Source source, long nowNanos) {
        Snapshot all = new Snapshot(endpoints, request.prefix(), request.promptTokens());
        int count = endpoints.size();
        int[] slots = new int[count];
        int[] positions = new int[count];
        for (int i = 0; i < count; i++) {
            Endpoint endpoint = endpoints.get(i);
            EndpointLoad live = source.live(endpoint);
            all.live[i] = live;
            all.loads[i] = source.fresh(live, nowNanos);
            all.inFlight[i] = live.inFlight();
            all.pendingWork[i] = live.pendingWork(nowNanos);
            all.pendingPrefill[i] = live.pendingPrefill(all.pendingWork[i]);
            all.tokensPerSecond[i] = live.tokensPerSecond() * live.fitness().share(nowNanos);
            slots[i] = endpoint.slot();
            positions[i] = i;
        }
        source.prefixes().match(request.prefix(), slots, count, all.prefixMatch);
        return new Candidates(all, positions, count);
    }

    public int size() {
        return size;
    }

    public Endpoint endpoint(int position) {
        return all.endpoints.get(positions[position]);
    }

    /** What the endpoint last reported; {@link Load#UNKNOWN} if nothing, or nothing lately. */
    public Load load(int position) {
        return all.loads[positions[position]];
    }

    /** The live counters, to book on. */
    public EndpointLoad live(int position) {
        return all.live[positions[position]];
    }

    /** Requests of ours in flight when the snapshot was taken, or when it was last refreshed. */
    public int inFlight(int position) {
        return all.inFlight[positions[position]];
    }

    /** Prefill tokens that the endpoint still had before it. */
    public int pendingPrefill(int position) {
        return all.pendingPrefill[positions[position]];
    }

    /** The same, and in tokens what its scheduler takes for each of those prefills. */
    public int pendingWork(int position) {
        return all.pendingWork[positions[position]];
    }

    /** Output tokens that requests in flight there are expected to bring; 0 unless the configuration asks to count them. */
    public long expectedOutput(int position) {
        return live(position).expectedOutput();
    }

    /** Prefill speed of the endpoint, in tokens a second; less while it starts slowly. */
    public double tokensPerSecond(int position) {
        return all.tokensPerSecond[positions[position]];
    }

    /** Leading blocks of the prompt that the endpoint is believed to hold. */
    public int prefixMatch(int position) {
        return all.prefixMatch[positions[position]];
    }

    /** Blocks of the prompt. */
    public int promptBlocks() {
        return all.promptBlocks;
    }

    /** Prompt tokens that the endpoint would have to compute. */
    public int uncachedTokens(int position) {
        return Math.max(0, all.promptTokens - prefixMatch(position) * PrefixIndex.BLOCK_TOKENS);
    }

    /** Reads an in-flight count again, after somebody else booked on the endpoint. */
    public void refresh(int position) {
        all.inFlight[positions[position]] = live(position).inFlight();
    }

    /** The candidates at the positions that are kept, in the same order; this object itself when that is all of them. */
    public Candidates where(IntPredicate keep) {
        int[] kept = new int[size];
        int count = 0;
        for (int position = 0; position < size; position++) {
            if (keep.test(position)) {
                kept[count++] = positions[position];
            }
        }
        return count == size ? this : new Candidates(all, kept, count);
    }
}
