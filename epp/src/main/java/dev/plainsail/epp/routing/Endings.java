package dev.plainsail.epp.routing;

import org.jspecify.annotations.Nullable;

/** Hears what became of requests that were sent to an endpoint, to count it. Called on event loops: must not block. */
public interface Endings {
    /** Nobody listens. */
    Endings NONE = (model, target, streamed, outcome) -> {};

    /**
     * @param model that the client asked for
     * @param target that it was rewritten to; null: it was not
     */
    void ended(@Nullable String model, @Nullable String target, boolean streamed, Outcome outcome);
}
