package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.pool.Endpoint;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * One request on one endpoint: its share of the in-flight count and of the pending prefill. What of its prefill is left
 * at a time follows from the fluid: the request's tokens are the last of what was pending when it was booked.
 */
final class Booking implements InFlight {
    private final Bookings owner;
    private final long ticket;
    private final Endpoint endpoint;
    private final EndpointLoad load;
    private final LongSupplier nanoTime;
    private final long bookedAtNanos;
    private final int tokens;
    private final int output;
    private final int pendingAfter;
    private final double tokensPerSecond;
    private final AtomicBoolean prefilled = new AtomicBoolean();
    private final AtomicBoolean ended = new AtomicBoolean();

    /** The request must be counted in {@code load} already; its prefill is added here. */
    Booking(Bookings owner, long ticket, Endpoint endpoint, EndpointLoad load, Charge charge, LongSupplier nanoTime) {
        this.owner = owner;
        this.ticket = ticket;
        this.endpoint = endpoint;
        this.load = load;
        this.nanoTime = nanoTime;
        this.tokens = charge.prefillTokens();
        this.output = charge.outputTokens();
        this.bookedAtNanos = nanoTime.getAsLong();
        this.tokensPerSecond = load.tokensPerSecond();
        this.pendingAfter = load.admit(tokens, bookedAtNanos);
        load.expectOutput(output);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    EndpointLoad load() {
        return load;
    }

    long bookedAtNanos() {
        return bookedAtNanos;
    }

    boolean isEnded() {
        return ended.get();
    }

    @Override
    public void firstToken() {
        if (prefilled.compareAndSet(false, true)) {
            long now = nanoTime.getAsLong();
            double done = (now - bookedAtNanos) * 1e-9 * tokensPerSecond;
            int left = (int) Math.clamp(pendingAfter - done, 0, tokens);
            if (left > 0) {
                load.giveBack(left, now);
            }
        }
    }

    @Override
    public void ended() {
        if (ended.compareAndSet(false, true)) {
            firstToken();
            load.expectOutput(-output);
            load.end();
            owner.remove(ticket, this);
        }
    }
}
