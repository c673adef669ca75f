package dev.plainsail.epp.protocol;

import org.jspecify.annotations.Nullable;

/** Where a stream stands. The request's way is Fresh, Collecting, Deciding, Sending, Answering, Ended. */
sealed interface State {
    /** Nothing has come. */
    record Fresh() implements State {}

    /** The body is coming in; the decision waits for its end. */
    record Collecting(Exchange exchange) implements State {}

    /** The router has been asked. */
    record Deciding(Exchange exchange) implements State {}

    /** The endpoint is named; the body, or what is still coming of it, is being sent back. */
    record Sending(Exchange exchange, Served served) implements State {}

    /** The request has been handed over; the answer may pass through here. */
    record Answering(Served served) implements State {}

    /** The proxy answered by itself before we decided; its answer passes through. */
    record Aside(Exchange.Mode responseMode) implements State {}

    /** Refused, over, or only shown to us: whatever comes is ignored. */
    record Ended() implements State {}

    /** The request that is not yet handed over; null if there is none. */
    default @Nullable Exchange exchange() {
        return switch (this) {
            case Collecting(Exchange exchange) -> exchange;
            case Deciding(Exchange exchange) -> exchange;
            case Sending(Exchange exchange, Served _) -> exchange;
            case Fresh _, Answering _, Aside _, Ended _ -> null;
        };
    }

    /** The request that has an endpoint; null if there is none. */
    default @Nullable Served served() {
        return switch (this) {
            case Sending(Exchange _, Served served) -> served;
            case Answering(Served served) -> served;
            case Fresh _, Collecting _, Deciding _, Aside _, Ended _ -> null;
        };
    }
}
