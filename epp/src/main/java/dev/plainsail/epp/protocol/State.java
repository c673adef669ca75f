package dev.plainsail.epp.protocol;

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
}
