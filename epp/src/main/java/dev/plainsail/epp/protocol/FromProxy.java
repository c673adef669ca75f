package dev.plainsail.epp.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message of the proxy, as far as the picker reads it. */
sealed interface FromProxy {
    /**
     * @param modes null when the proxy does not say how it sends bodies, as older and simpler ones do
     * @param observing the proxy only shows the request and waits for no answer
     */
    record RequestHeaders(
            WireHeaders headers, boolean end, @Nullable BodyModes modes, Hints hints, boolean observing)
            implements FromProxy {}

    record RequestBody(Piece piece, boolean end) implements FromProxy {}

    record RequestTrailers() implements FromProxy {}

    record ResponseHeaders(WireHeaders headers, boolean end, Hints hints) implements FromProxy {}

    record ResponseBody(Piece piece, boolean end) implements FromProxy {}

    record ResponseTrailers() implements FromProxy {}

    /** A kind that this picker does not know. */
    record Other() implements FromProxy {}

    /** Bytes that are no message. */
    record Unreadable(String problem) implements FromProxy {}

    /** How the proxy sends the bodies of a stream. */
    record BodyModes(BodyMode request, BodyMode response) {}

    /** Envoy's {@code ProcessingMode.BodySendMode}. */
    enum BodyMode {
        NONE(0),
        STREAMED(1),
        BUFFERED(2),
        BUFFERED_PARTIAL(3),
        FULL_DUPLEX_STREAMED(4),
        GRPC(5);

        private static final BodyMode[] BY_NUMBER = values();

        private final int number;

        BodyMode(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }

        /** A mode that is not known yet is taken for the one that loses most if it is not echoed. */
        static BodyMode of(long number) {
            return number < 0 || number >= BY_NUMBER.length ? FULL_DUPLEX_STREAMED : BY_NUMBER[(int) number];
        }
    }

    /**
     * What the route's metadata and the proxy's attributes say.
     *
     * @param subset endpoints that the choice is limited to; null: no limit
     * @param pool name of the pool that the route belongs to
     * @param served endpoint that gave the response, after retries
     */
    record Hints(
            @Nullable List<String> subset,
            @Nullable String pool,
            @Nullable String served) {
        static final Hints NONE = new Hints(null, null, null);
    }
}
