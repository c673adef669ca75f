package dev.plainsail.e2e.engine.http;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One request, whole.
 *
 * @param path without the query
 * @param headers by lower-case name, in order of arrival
 * @param keepAlive whether the client wants the connection to stay open
 */
public record Request(String method, String path, Map<String, List<String>> headers, Body body, boolean keepAlive) {
    public Request {
        headers = Map.copyOf(headers);
    }

    /** The first value of a header. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT))).map(List::getFirst);
    }
}
