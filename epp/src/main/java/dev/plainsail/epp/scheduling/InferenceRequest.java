package dev.plainsail.epp.scheduling;

import dev.plainsail.epp.prefix.BlockHashes;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the picker knows of a request when it decides.
 *
 * @param ticket number of the decision, unique in the process; joins the access log's entry to it
 * @param path as sent, with query
 * @param poolHint the pool that the route's metadata or the header {@code x-plainsail-pool} names; null: by model
 * @param model null when the body names none
 * @param streamed whether the client asked for server-sent events
 * @param bodyBytes size of the body as received
 * @param promptTokens estimate (bytes of prompt text / 4) or exact when the prompt is given as token ids; 0 if unknown
 * @param maxTokens the client's limit of output tokens; -1 if not given
 * @param prefix chained block hashes of the prompt
 * @param headers the request headers, names in lower case; repeated ones joined by comma
 * @param subset {@code ip:port} or {@code ip} entries that the choice is limited to; null: no limit; empty: nothing fits
 */
public record InferenceRequest(
        long ticket,
        String path,
        @Nullable String poolHint,
        @Nullable String model,
        boolean streamed,
        long bodyBytes,
        int promptTokens,
        int maxTokens,
        BlockHashes prefix,
        Map<String, String> headers,
        @Nullable List<String> subset) {}
