package dev.plainsail.epp.prefix;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Who is believed to hold which prefix, learnt from where requests were sent. A match is a belief, not a fact: the
 * engine may have evicted the block, or never have computed it. It is never longer than what was really sent, up to
 * collisions of 64-bit hashes.
 *
 * <p><b>Problem.</b> A prompt of 100,000 tokens is 1,600 blocks; each may be held by many endpoints; every request asks
 * for all candidates at once. A map from block to a set of endpoints costs an object or three a block, grows without
 * bound and takes a lock.
 *
 * <p><b>Idea.</b> A bounded set-associative table, as chess programs keep positions: 8 ways a bucket; per entry a 64-bit
 * key, a mask of endpoints that hold it and a mask of those that used it lately. Slot {@code s} is bit {@code s % 64} of
 * page {@code s / 64}; the key mixes the block's chained hash with the page, so one entry speaks of 64 endpoints and 1,000
 * endpoints are 16 walks. Blocks are thinned to checkpoints ({@link Checkpoints}): 224 for 2,048 blocks, and a length is
 * at most 1/32 too short, never too long. A full bucket drops the way that fewest endpoints use.
 *
 * <p>Each endpoint has a ring of the entries it holds, in the order of insertion, deepest block first, so that the tail of
 * a prompt goes first, as in engines, and what is held stays closed under prefixes. Above its capacity the ring is popped
 * in CLOCK order: a bit that was used again gets a second chance. An entry that was dropped from its bucket leaves a
 * stale ring item behind; popping it may clear the bit of the entry's successor early, which only shortens a match.
 *
 * <p><b>Cost.</b> 24 bytes an entry at 0.85 fill and 4 bytes a ring item with reserve: some 33 bytes a stored block; 2^20
 * entries are 28 MB. A lookup of 224 checkpoints is 224 loads of one cache line each.
 *
 * <p><b>Concurrency.</b> Readers take no lock: key, mask, key again. Writers take one lock an index and first zero the
 * key of an entry that they reuse. A reader that is suspended between its two reads of the key while the entry is reused
 * and the first key comes back could see the mask in between; that is a wrong belief once in years, not a crash.
 *
 * <p><b>Attacks.</b> Many distinct prompts only turn the rings over; memory is fixed. Crafted hashes need collisions of a
 * seeded 64-bit hash.
 */
public final class PrefixIndex {
    /** Tokens in a block; four bytes of text are taken as a token. */
    public static final int BLOCK_TOKENS = 64;

    /** What an endpoint is taken to hold until its engine says how much it can (llm-d's default, of 64 tokens each). */
    public static final int DEFAULT_CAPACITY_BLOCKS = 31_250;

    static final int WAYS = 8;
    private static final int PAGE = 64;
    private static final int FIRST_BUCKETS = 1 << 10;
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    /** Parallel arrays, index = bucket * 8 + way. Read without lock. */
    private static final class Table {
        final long[] keys;
        final long[] present;
        final long[] used;
        final int buckets;

        Table(int buckets) {
            this.buckets = buckets;
            keys = new long[buckets * WAYS];
            present = new long[buckets * WAYS];
            used = new long[buckets * WAYS];
        }

        int bucketOf(long key) {
            return ((int) key & (buckets - 1)) * WAYS;
        }
    }

    private final int maxBuckets;
    private final int maxBlocks;
    private final int defaultCapacity;
    private final ReentrantLock writer = new ReentrantLock();
    private volatile Table table = new Table(FIRST_BUCKETS);
    private int entries;
    private @Nullable Ring[] rings = new @Nullable Ring[PAGE];

    /**
     * @param maxEntries limit of stored blocks, rounded up to a power of two
     * @param maxBlocks deeper blocks of a prompt are not looked at
     * @param capacityBlocks that an endpoint is taken to hold until {@link #capacity} says otherwise
     */
    public PrefixIndex(int maxEntries, int maxBlocks, int capacityBlocks) {
        if (maxEntries < 1 || maxEntries > 1 << 28 || maxBlocks < 1) {
            throw new IllegalArgumentException("maxEntries " + maxEntries + ", maxBlocks " + maxBlocks);
        }
        int wanted = Integer.highestOneBit(Math.max(1, (maxEntries + WAYS - 1) / WAYS * 2 - 1));
        this.maxBuckets = Math.max(1, wanted);
        this.maxBlocks = maxBlocks;
        this.defaultCapacity = capacityBlocks;
        if (maxBuckets < FIRST_BUCKETS) {
            table = new Table(maxBuckets);
        }
    }

    /**
     * Leading blocks that each endpoint is believed to hold.
     *
     * @param slots of the endpoints, in ascending order
     * @param lengths receives one number for each of the first {@code count} slots
     */
    public void match(BlockHashes hashes, int[] slots, int count, int[] lengths) {
        Arrays.fill(lengths, 0, count, 0);
        int blocks = Math.min(hashes.size(), maxBlocks);
        Table read = table;
        for (int from = 0; from < count; ) {
            int page = slots[from] / PAGE;
            int to = from;
            long candidates = 0;
            while (to < count && slots[to] / PAGE == page) {
                candidates |= 1L << slots[to++];
            }
            walk(read, hashes, blocks, page, candidates, new Span(slots, from, to, lengths));
            from = to;
        }
    }

    /** The slots of one page, and where their lengths go. */
    private static final class Span {
        private final int[] slots;
        private final int[] lengths;
        private final int from;
        private final int to;

        Span(int[] slots, int from, int to, int[] lengths) {
            this.slots = slots;
            this.from = from;
            this.to = to;
            this.lengths = lengths;
        }

        void set(long endpoints, int length) {
            for (int i = from; i < to; i++) {
                if ((endpoints >>> slots[i] & 1) != 0) {
                    lengths[i] = length;
                }
            }
        }
    }

    private static void walk(Table table, BlockHashes hashes, int blocks, int page, long candidates, Span span) {
        long alive = candidates;
        int reached = 0;
        for (int length = 1; length <= blocks; length = Checkpoints.after(length)) {
            long held = alive & presentOf(table, keyOf(hashes.at(length - 1), page));
            long dropped = alive & ~held;
            if (dropped != 0 && reached > 0) {
                span.set(dropped, reached);
            }
            alive = held;
            if (alive == 0) {
                return;
            }
            reached = length;
        }
        span.set(alive, reached);
    }

    private static long presentOf(Table table, long key) {
        int bucket = table.bucketOf(key);
        for (int i = bucket; i < bucket + WAYS; i++) {
            if ((long) LONGS.getAcquire(table.keys, i) == key) {
                long present = (long) LONGS.getAcquire(table.present, i);
                if ((long) LONGS.getOpaque(table.keys, i) == key) {
                    return present;
                }
            }
        }
        return 0;
    }

    /** Notes that the prompt was sent to the endpoint. One short critical section. */
    public void insert(BlockHashes hashes, int slot) {
        int blocks = Math.min(hashes.size(), maxBlocks);
        if (blocks == 0) {
            return;
        }
        writer.lock();
        try {
            Ring ring = ring(slot);
            for (int length = Checkpoints.lastUpTo(blocks); length >= 1; length = Checkpoints.before(length)) {
                put(keyOf(hashes.at(length - 1), slot / PAGE), 1L << slot, ring, Checkpoints.shiftAt(length));
            }
            evict(ring, 1L << slot);
        } finally {
            writer.unlock();
        }
    }

    /** How many blocks of {@link #BLOCK_TOKENS} the endpoint's engine can hold; what is too much is forgotten at once. */
    public void capacity(int slot, int blocks) {
        writer.lock();
        try {
            Ring ring = ring(slot);
            ring.capacity = Math.max(1, blocks);
            evict(ring, 1L << slot);
        } finally {
            writer.unlock();
        }
    }

    /** Forgets an endpoint: it is gone, or its engine was restarted. Costs one step for each block that it held. */
    public void forget(int slot) {
        writer.lock();
        try {
            Ring ring = slot < rings.length ? rings[slot] : null;
            if (ring != null) {
                Table written = table;
                for (int item = ring.poll(); item != Ring.EMPTY; item = ring.poll()) {
                    clear(written, Ring.entry(item), 1L << slot);
                }
                rings[slot] = null;
            }
        } finally {
            writer.unlock();
        }
    }

    /** Blocks stored now; for the gauge. */
    public int size() {
        writer.lock();
        try {
            return entries;
        } finally {
            writer.unlock();
        }
    }

    /** The bytes of the table; the rings come on top. */
    public long tableBytes() {
        return 3L * Long.BYTES * WAYS * table.buckets;
    }

    private Ring ring(int slot) {
        if (slot >= rings.length) {
            rings = Arrays.copyOf(rings, Math.max(slot + 1, rings.length * 2));
        }
        Ring ring = rings[slot];
        if (ring == null) {
            ring = new Ring(defaultCapacity);
            rings[slot] = ring;
        }
        return ring;
    }

    private void put(long key, long bit, Ring ring, int shift) {
        Table written = table;
        int bucket = written.bucketOf(key);
        int free = -1;
        for (int i = bucket; i < bucket + WAYS; i++) {
            long held = written.keys[i];
            if (held == key) {
                touch(written, i, bit, ring, shift);
                return;
            }
            if (held == 0) {
                free = i;
            }
        }
        if (free < 0 && written.buckets < maxBuckets) {
            grow();
            put(key, bit, ring, shift);
            return;
        }
        int way = free >= 0 ? free : leastUsed(written, bucket);
        if (free < 0) {
            LONGS.setRelease(written.keys, way, 0L);
        } else {
            entries++;
        }
        written.used[way] = 0;
        LONGS.setRelease(written.present, way, bit);
        LONGS.setRelease(written.keys, way, key);
        ring.add(way, shift);
    }

    private static void touch(Table written, int entry, long bit, Ring ring, int shift) {
        long present = written.present[entry];
        if ((present & bit) != 0) {
            written.used[entry] |= bit;
            return;
        }
        LONGS.setRelease(written.present, entry, present | bit);
        ring.add(entry, shift);
    }

    /** Of a full bucket, the way that nobody used again and fewest hold. */
    private static int leastUsed(Table written, int bucket) {
        int least = bucket;
        int best = Integer.MAX_VALUE;
        for (int i = bucket; i < bucket + WAYS; i++) {
            int worth = Long.bitCount(written.present[i]) + (written.used[i] != 0 ? PAGE + 1 : 0);
            if (worth < best) {
                best = worth;
                least = i;
            }
        }
        return least;
    }

    private void evict(Ring ring, long bit) {
        Table written = table;
        while (ring.blocks() > ring.capacity) {
            int item = ring.poll();
            int entry = Ring.entry(item);
            long used = written.used[entry];
            if ((used & bit) != 0 && (written.present[entry] & bit) != 0) {
                written.used[entry] = used & ~bit;
                ring.add(entry, Ring.shift(item));
            } else {
                clear(written, entry, bit);
            }
        }
    }

    private void clear(Table written, int entry, long bit) {
        long present = written.present[entry];
        if ((present & bit) == 0) {
            return;
        }
        written.used[entry] &= ~bit;
        long left = present & ~bit;
        LONGS.setRelease(written.present, entry, left);
        if (left == 0) {
            LONGS.setRelease(written.keys, entry, 0L);
            entries--;
        }
    }

    private void grow() {
        Table old = table;
        Table bigger = new Table(old.buckets * 2);
        int[] moved = new int[old.buckets * WAYS];
        for (int i = 0; i < moved.length; i++) {
            long key = old.keys[i];
            moved[i] = -1;
            if (key != 0) {
                int target = bigger.bucketOf(key);
                while (bigger.keys[target] != 0) {
                    target++;
                }
                bigger.keys[target] = key;
                bigger.present[target] = old.present[i];
                bigger.used[target] = old.used[i];
                moved[i] = target;
            }
        }
        for (Ring ring : rings) {
            if (ring != null) {
                ring.renumber(moved);
            }
        }
        table = bigger;
    }

    /** Never 0, which marks a free way. The finalizer of MurmurHash3 spreads the page over all bits. */
    private static long keyOf(long hash, int page) {
        long mixed = hash + page * 0x9E3779B97F4A7C15L;
        mixed = (mixed ^ mixed >>> 33) * 0xFF51AFD7ED558CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CEB9FE1A85EC53L;
        mixed ^= mixed >>> 33;
        return mixed == 0 ? 1 : mixed;
    }
}
