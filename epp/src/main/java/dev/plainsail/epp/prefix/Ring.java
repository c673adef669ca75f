package dev.plainsail.epp.prefix;

/**
 * The entries that one endpoint holds, in order of insertion. Each item is an entry index (28 bits) and the log2 of the
 * number of blocks it stands for (4 bits). Grows as needed; guarded by the index's writer lock.
 */
final class Ring {
    static final int EMPTY = -1;
    private static final int SHIFT_BITS = 4;
    private static final int SHIFT_MASK = (1 << SHIFT_BITS) - 1;

    int capacity;
    private int[] items = new int[16];
    private int head;
    private int size;
    private long blocks;

    /** @param capacity in blocks */
    Ring(int capacity) {
        this.capacity = capacity;
    }

    static int entry(int item) {
        return item >>> SHIFT_BITS;
    }

    static int shift(int item) {
        return item & SHIFT_MASK;
    }

    /** Blocks that the items stand for. */
    long blocks() {
        return blocks;
    }

    void add(int entry, int shift) {
        if (size == items.length) {
            unroll(items.length * 2);
        }
        items[head + size & items.length - 1] = entry << SHIFT_BITS | shift;
        size++;
        blocks += 1L << shift;
    }

    /** The oldest item, removed; {@link #EMPTY} if there is none. */
    int poll() {
        if (size == 0) {
            return EMPTY;
        }
        int item = items[head];
        head = head + 1 & items.length - 1;
        size--;
        blocks -= 1L << shift(item);
        return item;
    }

    /** The table was copied: entry {@code i} is now {@code moved[i]}; -1: it is gone, and so is the item. */
    void renumber(int[] moved) {
        int count = size;
        for (int i = 0; i < count; i++) {
            int item = poll();
            int entry = moved[entry(item)];
            if (entry >= 0) {
                add(entry, shift(item));
            }
        }
    }

    private void unroll(int length) {
        int[] bigger = new int[length];
        for (int i = 0; i < size; i++) {
            bigger[i] = items[head + i & items.length - 1];
        }
        items = bigger;
        head = 0;
    }
}
