package dev.plainsail.epp.routing;

import dev.plainsail.epp.datalayer.EndpointLoad;
import dev.plainsail.epp.datalayer.PendingPrefill;
import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One request on one endpoint: its share of the in-flight count, of the pending prefill, of the expected output. */
final class Booking implements InFlight {
    private static final AtomicIntegerFieldUpdater<Booking> ENDED =
            AtomicIntegerFieldUpdater.newUpdater(Booking.class, "ended");

    private final Bookings owner;
    private final long ticket;
    private final Endpoint endpoint;
    private final EndpointLoad load;
    private final LongSupplier nanoTime;
    private final long bookedAtNanos;
    private final PendingPrefill prefill;
    private final int output;
    private final @Nullable String model;
    private final @Nullable String target;
    private final boolean streamed;
    private volatile int ended;

    /** The request must be counted in {@code load} already; its prefill is added here. */
    Booking(
            Bookings owner,
            InferenceRequest request,
            @Nullable String target,
            Endpoint endpoint,
            EndpointLoad load,
            Charge charge,
            LongSupplier nanoTime) {
        this.owner = owner;
        this.ticket = request.ticket();
        this.model = request.model();
        this.target = target;
        this.streamed = request.streamed();
        this.endpoint = endpoint;
        this.load = load;
        this.nanoTime = nanoTime;
        this.output = charge.outputTokens();
        this.bookedAtNanos = nanoTime.getAsLong();
        this.prefill = load.admit(charge.prefillTokens(), bookedAtNanos);
        load.expectOutput(output);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    EndpointLoad load() {
        return load;
    }

    /** The model that the client asked for. */
    @Nullable
    String model() {
        return model;
    }

    /** The model that it was rewritten to; null: it was not. */
    @Nullable
    String target() {
        return target;
    }

    boolean isStreamed() {
        return streamed;
    }

    long bookedAtNanos() {
        return bookedAtNanos;
    }

    boolean isEnded() {
        return ended != 0;
    }

    @Override
    public void firstToken() {
        load.finish(prefill, nanoTime.getAsLong());
    }

    @Override
    public void ended() {
        if (ENDED.compareAndSet(this, 0, 1)) {
            firstToken();
            load.expectOutput(-output);
            load.end();
            owner.remove(ticket, this);
        }
    }
}
