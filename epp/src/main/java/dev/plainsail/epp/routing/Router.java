package dev.plainsail.epp.routing;

import dev.plainsail.epp.scheduling.InferenceRequest;
import java.util.function.Consumer;

/** Decides where requests go. */
public interface Router {
    /**
     * Decides one request. Called on an event loop: never blocks. The verdict is given exactly once, at once on the
     * calling thread or later from any other; who receives it after its stream has ended must end the booking.
     */
    void route(InferenceRequest request, Consumer<Verdict> verdict);
}
