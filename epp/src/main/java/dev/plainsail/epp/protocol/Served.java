package dev.plainsail.epp.protocol;

import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.routing.InFlight;
import dev.plainsail.epp.routing.Outcome;
import dev.plainsail.epp.routing.TokenUsage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that was given to an endpoint: all that a stream keeps while the answer runs, and in the short mode nobody
 * asks for more than that.
 */
final class Served {
    final Endpoint endpoint;
    final InFlight inFlight;
    final long ticket;
    final long startNanos;
    final Exchange.Mode responseMode;

    /** Whether the end of this stream is the end of the response: the proxy shows us the body, or does not say. */
    final boolean streamEndsWithResponse;

    /** Response pieces that wait to be sent back. */
    @Nullable
    HeldBody echo;

    /** Looks for the answer's token counts; null if nobody needs them. */
    @Nullable
    UsageReader usage;

    @Nullable
    String servedBy;

    /** Response headers that tell the client of the decision. */
    Map<String, String> told = Map.of();

    int status;
    long responseBytes;
    long firstTokenNanos = -1;
    boolean endSeen;
    boolean trailersSeen;
    boolean flushPlanned;
    boolean over;

    Served(Exchange exchange, Endpoint endpoint, InFlight inFlight) {
        this.endpoint = endpoint;
        this.inFlight = inFlight;
        this.ticket = exchange.ticket;
        this.startNanos = exchange.startNanos;
        this.responseMode = exchange.responseMode();
        this.streamEndsWithResponse = responseMode != Exchange.Mode.NONE;
    }

    HeldBody echo() {
        HeldBody waiting = echo;
        if (waiting == null) {
            waiting = new HeldBody();
            echo = waiting;
        }
        return waiting;
    }

    Outcome outcome(long nowNanos, boolean clientGone) {
        String by = servedBy == null ? endpoint.hostPort() : servedBy;
        UsageReader reader = usage;
        return new Outcome(
                status,
                by,
                nowNanos - startNanos,
                responseBytes,
                clientGone,
                false,
                firstTokenNanos,
                reader == null ? TokenUsage.UNKNOWN : reader.usage());
    }
}
