package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The bookings that have not ended, by ticket. Each ends by the first of: the access log, the end of its stream, its age,
 * an engine that has reported fewer requests than are booked.
 */
final class Bookings {
    private final ConcurrentHashMap<Long, Booking> open = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;
    private final Duration maxAge;
    private final int limit;

    Bookings(LongSupplier nanoTime, Duration maxAge, int limit) {
        this.nanoTime = nanoTime;
        this.maxAge = maxAge;
        this.limit = limit;
    }

    boolean isFull() {
        return open.size() >= limit;
    }

    int size() {
        return open.size();
    }

    /** The request is counted in {@code load} already. */
    Booking open(
            InferenceRequest request, @Nullable String target, Endpoint endpoint, EndpointLoad load, Charge charge) {
        Booking booking = new Booking(this, request, target, endpoint, load, charge, nanoTime);
        open.put(request.ticket(), booking);
        return booking;
    }

    /** Those that have not ended, in no order; ends and openings meanwhile may or may not be seen. */
    Iterable<Booking> all() {
        return open.values();
    }

    @Nullable
    Booking find(long ticket) {
        return open.get(ticket);
    }

    void remove(long ticket, Booking booking) {
        open.remove(ticket, booking);
    }

    /** Ends what is too old. @return how many */
    int expire() {
        long now = nanoTime.getAsLong();
        int ended = 0;
        for (Booking booking : open.values()) {
            if (now - booking.bookedAtNanos() > maxAge.toNanos()) {
                booking.ended();
                ended++;
            }
        }
        return ended;
    }

    /**
     * Ends the oldest bookings of an endpoint whose engine knows of fewer.
     *
     * @param surplus how many to end at most
     * @param bookedBefore younger ones may not have reached the engine's counters
     * @return how many were ended
     */
    int correct(EndpointLoad load, int surplus, long bookedBefore) {
        var oldest = open.values().stream()
                .filter(booking -> booking.load() == load && booking.bookedAtNanos() - bookedBefore < 0)
                .sorted(Comparator.comparingLong(Booking::bookedAtNanos))
                .limit(surplus)
                .toList();
        oldest.forEach(Booking::ended);
        return oldest.size();
    }

    /** Bookings of an endpoint that are older than a time. */
    int count(EndpointLoad load, long bookedBefore) {
        int count = 0;
        for (Booking booking : open.values()) {
            if (booking.load() == load && booking.bookedAtNanos() - bookedBefore < 0) {
                count++;
            }
        }
        return count;
    }
}
