package dev.plainsail.epp.protocol;

import dev.plainsail.epp.protocol.FromProxy.BodyMode;
import dev.plainsail.epp.protocol.FromProxy.BodyModes;
import dev.plainsail.epp.protocol.FromProxy.Hints;
import dev.plainsail.epp.scheduling.InferenceRequest;
import org.jspecify.annotations.Nullable;

/** A request that is on its way to a decision or being sent on: what is dropped once the proxy has all of it. */
final class Exchange {
    final WireHeaders headers;
    final RequestHead head;
    final Hints hints;
    final @Nullable BodyModes modes;
    final long ticket;
    final long startNanos;
    final HeldBody body = new HeldBody();
    final boolean whole;

    /** Reads the body; null if it is not read, or not any more. */
    @Nullable
    BodyReader reader;

    /** Decodes the body on its way to the reader; null if it is plain. */
    @Nullable
    GzipReader gzip;

    @Nullable
    InferenceRequest request;

    BodyFacts facts = BodyFacts.UNREAD;
    long charged;
    long completeNanos;
    boolean endSeen;
    boolean trailersSeen;
    boolean halfClosed;

    Exchange(FromProxy.RequestHeaders message, long ticket, long startNanos) {
        this.headers = message.headers();
        this.head = RequestHead.of(headers);
        this.hints = message.hints();
        this.modes = message.modes();
        this.endSeen = message.end();
        this.ticket = ticket;
        this.startNanos = startNanos;
        this.completeNanos = startNanos;
        this.whole = !message.end() && !head.upgrade() && !head.isGrpc() && mode().holdsWhole;
    }

    /** Lets the reader see some bytes of the body. */
    void show(BodyReader to, byte[] bytes, int from, int until) {
        GzipReader decoder = gzip;
        if (decoder == null) {
            to.read(bytes, from, until);
        } else {
            decoder.read(bytes, from, until, to);
        }
    }

    /** Trailers end the body, unless it has ended already. */
    void endWithTrailers() {
        trailersSeen |= !endSeen;
        endSeen = true;
    }

    /** Whether the body was shown to the reader as it is, to its end. */
    boolean wasShownWhole() {
        return gzip == null || gzip.isWhole();
    }

    /** Whether what was received may be only the first part of the body. */
    boolean mayBeCut() {
        BodyModes given = modes;
        return given != null && given.request() == BodyMode.BUFFERED_PARTIAL && !endSeen;
    }

    /** Whether the decision can wait for the whole body; if not, it is made on the headers. */
    boolean decidesOnBody() {
        return whole;
    }

    /** A proxy that does not say sends as Envoy did before it said: in both directions at once. */
    Mode mode() {
        BodyModes given = modes;
        return given == null ? Mode.DUPLEX : Mode.of(given.request());
    }

    Mode responseMode() {
        BodyModes given = modes;
        return given == null ? Mode.DUPLEX : Mode.of(given.response());
    }

    /** The body modes by what they ask of us. */
    enum Mode {
        /** No body is sent to us. */
        NONE(false),
        /** Every piece waits for its answer; the request is on its way once its headers are answered. */
        STEPPED(false),
        /** The headers must be answered first, then the body comes in one message. */
        BUFFERED(true),
        /** All comes at once, and what is not sent back is lost. */
        DUPLEX(true);

        final boolean holdsWhole;

        Mode(boolean holdsWhole) {
            this.holdsWhole = holdsWhole;
        }

        static Mode of(BodyMode mode) {
            return switch (mode) {
                case NONE -> NONE;
                case STREAMED -> STEPPED;
                case BUFFERED, BUFFERED_PARTIAL -> BUFFERED;
                case FULL_DUPLEX_STREAMED, GRPC -> DUPLEX;
            };
        }
    }
}
