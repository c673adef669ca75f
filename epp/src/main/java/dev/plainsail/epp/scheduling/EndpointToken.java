package dev.plainsail.epp.scheduling;

import dev.plainsail.epp.pool.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client on the endpoint that answered it before: the answer carries a token that names the endpoint, and the
 * client sends it back. Nothing is remembered here, so every picker understands the tokens of all others; a token that
 * names no candidate counts as none.
 *
 * @param header that carries the token both ways, in lower case
 */
public record EndpointToken(String header) implements StickyEndpoint {
    /** The token that names an endpoint. */
    static String of(Endpoint endpoint) {
        return Base64.getEncoder().encodeToString(endpoint.name().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public @Nullable String endpointOf(InferenceRequest request) {
        String token = request.headers().get(header);
        if (token == null) {
            return null;
        }
        try {
            return new String(Base64.getDecoder().decode(token.strip()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return null; // of somebody else, or made up
        }
    }
}
