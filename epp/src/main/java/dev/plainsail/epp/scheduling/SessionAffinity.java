package dev.plainsail.epp.scheduling;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a session on the endpoint that it was last sent to, while that one is a candidate. A session that was silent for
 * the time to live is forgotten; at most {@value #MAX_SESSIONS} are remembered, and above that the silent ones go first.
 */
public final class SessionAffinity implements StickyEndpoint, ChoiceListener {
    private static final int MAX_SESSIONS = 100_000;

    private final Function<InferenceRequest, @Nullable String> sessionOf;
    private final Duration timeToLive;
    private final LongSupplier nanoTime;
    private final ConcurrentHashMap<String, Pin> pins = new ConcurrentHashMap<>();

    private record Pin(String endpoint, long atNanos) {}

    /** @param sessionOf null: the request belongs to no session */
    public SessionAffinity(
            Function<InferenceRequest, @Nullable String> sessionOf, Duration timeToLive, LongSupplier nanoTime) {
        this.sessionOf = sessionOf;
        this.timeToLive = timeToLive;
        this.nanoTime = nanoTime;
    }

    @Override
    public void chosen(InferenceRequest request, Candidates candidates, int position) {
        String session = sessionOf.apply(request);
        if (session != null) {
            if (pins.size() >= MAX_SESSIONS) {
                shrink();
            }
            pins.put(session, new Pin(candidates.endpoint(position).name(), nanoTime.getAsLong()));
        }
    }

    @Override
    public @Nullable String endpointOf(InferenceRequest request) {
        String session = sessionOf.apply(request);
        Pin pin = session == null ? null : pins.get(session);
        return pin == null || nanoTime.getAsLong() - pin.atNanos() > timeToLive.toNanos() ? null : pin.endpoint();
    }

    /** Forgets what has been silent too long; if that is not enough, everything silent for half as long, and so on. */
    private void shrink() {
        long now = nanoTime.getAsLong();
        for (long age = timeToLive.toNanos(); pins.size() >= MAX_SESSIONS && age > 0; age /= 2) {
            long limit = age;
            pins.values().removeIf(pin -> now - pin.atNanos() > limit);
        }
    }
}
