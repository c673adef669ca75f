package dev.plainsail.epp.pool;

/** Learns when a slot changes hands, to forget what it knew of the last owner. Called by the one writer of {@link Slots}. */
public interface SlotWatcher {
    /** The owner is gone; decisions that are under way may still name the slot. */
    void freed(int slot);

    /** The slot is about to be given to a new owner. */
    void taken(int slot);
}
