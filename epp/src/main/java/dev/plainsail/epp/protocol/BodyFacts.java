package dev.plainsail.epp.protocol;

import dev.plainsail.epp.prefix.BlockHashes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a request's body says.
 *
 * @param maxTokens the client's limit of output tokens; -1 if not given
 * @param modelSpans where the values of {@code model} at the root stand, quotes included, in order
 */
record BodyFacts(
        @Nullable String model,
        boolean streamed,
        int promptTokens,
        int maxTokens,
        BlockHashes prefix,
        List<Span> modelSpans) {

    /** Of a body that was not read. */
    static final BodyFacts UNREAD = new BodyFacts(null, false, 0, -1, BlockHashes.NONE, List.of());

    /** Bytes {@code from} (inclusive) to {@code to} (exclusive) of the body. */
    record Span(long from, long to) {}
}
