package dev.plainsail.epp.routing;

import org.jspecify.annotations.Nullable;

/**
 * How a request ended, as the proxy saw it.
 *
 * @param status HTTP status sent to the client; 0 if none was
 * @param upstream {@code ip:port} that really served it, retries included; null if none did
 * @param durationNanos from the first byte received to the last byte sent; -1 if unknown
 * @param responseBytes body bytes sent to the client
 * @param clientGone whether the client hung up before the end
 * @param upstreamFailed whether connecting to the upstream, or its answer, broke off
 * @param firstTokenNanos from the first byte received to the first piece of the answer's body; -1 if nobody saw it
 * @param usage what the answer said of its tokens, where it was read
 */
public record Outcome(
        int status,
        @Nullable String upstream,
        long durationNanos,
        long responseBytes,
        boolean clientGone,
        boolean upstreamFailed,
        long firstTokenNanos,
        TokenUsage usage) {
    /** Of a request whose answer did not pass through the picker. */
    public Outcome(
            int status,
            @Nullable String upstream,
            long durationNanos,
            long responseBytes,
            boolean clientGone,
            boolean upstreamFailed) {
        this(status, upstream, durationNanos, responseBytes, clientGone, upstreamFailed, -1, TokenUsage.UNKNOWN);
    }
}
