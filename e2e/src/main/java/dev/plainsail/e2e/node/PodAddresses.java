package dev.plainsail.e2e.node;

import java.util.BitSet;

/** The addresses of one node's pods, 1 to 254, given in turn so that a freed one rests as long as possible. Any thread. */
final class PodAddresses {

    private static final int LAST = 254;

    private final NodePlace place;
    private final BitSet taken = new BitSet(LAST + 1);
    private int previous;

    PodAddresses(NodePlace place) {
        this.place = place;
    }

    String node() {
        return place.address();
    }

    synchronized String take() {
        for (int i = 0; i < LAST; i++) {
            previous = previous % LAST + 1;
            if (!taken.get(previous)) {
                taken.set(previous);
                return place.podPrefix() + previous;
            }
        }
        throw new IllegalStateException("node " + place.name() + " has " + LAST + " pods, but allows 110");
    }

    synchronized void give(String address) {
        if (address.startsWith(place.podPrefix())) {
            taken.clear(Integer.parseInt(address.substring(place.podPrefix().length())));
        }
    }
}
