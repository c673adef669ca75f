package dev.plainsail.epp.datalayer;

import dev.plainsail.epp.pool.SlotWatcher;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The live numbers of all endpoints by slot. A slot's new owner begins with a new object; late ends find the old one. */
public final class LoadTable implements SlotWatcher {
    private final LongSupplier nanoTime;
    private volatile @Nullable EndpointLoad[] bySlot = new @Nullable EndpointLoad[64];

    public LoadTable(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param slot of a live endpoint */
    public EndpointLoad at(int slot) {
        EndpointLoad load = bySlot[slot];
        if (load == null) {
            throw new IllegalStateException("slot " + slot + " was never taken");
        }
        return load;
    }

    @Override
    public synchronized void taken(int slot) {
        @Nullable EndpointLoad[] all = bySlot;
        @Nullable
        EndpointLoad[] copy = Arrays.copyOf(all, slot < all.length ? all.length : Math.max(slot + 1, all.length * 2));
        copy[slot] = new EndpointLoad(nanoTime.getAsLong());
        bySlot = copy;
    }

    @Override
    public void freed(int slot) {
        // Kept until the slot is taken again: bookings of the last owner still end on its object.
    }
}
