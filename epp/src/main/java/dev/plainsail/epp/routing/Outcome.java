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
 */
public record Outcome(
        int status,
        @Nullable String upstream,
        long durationNanos,
        long responseBytes,
        boolean clientGone,
        boolean upstreamFailed) {}
