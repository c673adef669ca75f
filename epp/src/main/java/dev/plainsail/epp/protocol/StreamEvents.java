package dev.plainsail.epp.protocol;

import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.scheduling.InferenceRequest;
import org.jspecify.annotations.Nullable;

/** Hears what happens to streams, to count it. Called on event loops: must not block. */
public interface StreamEvents {
    void opened();

    /** @param request null if it was refused before it could be read */
    void refused(Reason reason, @Nullable InferenceRequest request);

    /**
     * A request was sent on its way.
     *
     * @param target the model that the request was rewritten to; null: it was not
     * @param heldNanos from the last byte of the request, or its headers if there is no body, to the answer
     */
    void forwarded(InferenceRequest request, @Nullable String target, long heldNanos);

    /** A stream ended by a mistake of ours. */
    void failed(Throwable cause);

    /** The proxy broke the protocol. */
    void violated(String problem);

    void closed();
}
