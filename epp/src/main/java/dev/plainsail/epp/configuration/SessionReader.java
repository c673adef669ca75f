package dev.plainsail.epp.configuration;

import dev.plainsail.epp.configuration.PluginType.Surroundings;
import dev.plainsail.epp.scheduling.EndpointToken;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.SessionAffinity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Where a request's session is read from. */
final class SessionReader {
    /** Finds the session of a request; null: it has none. */
    interface SessionId extends Function<InferenceRequest, @Nullable String> {}

    private SessionReader() {}

    /** A filter and scorer of one of the two kinds. */
    static Object read(Parameters p, Surroundings surroundings) {
        String strategy = p.text("strategy", "encoded_endpoint_header");
        if (!strategy.equals("session_id") && !strategy.equals("encoded_endpoint_header")) {
            p.problem("strategy", "'" + strategy + "': write session_id or encoded_endpoint_header");
        }
        p.accepted("profileName");
        Parameters token = p.object("encodedEndpointHeaderConfig");
        String header = token.text("header", "x-session-token").toLowerCase(Locale.ROOT);
        token.done();
        Parameters config = p.object("sessionIdConfig");
        List<SessionId> sources = new ArrayList<>();
        for (Parameters source : config.objects("sources")) {
            SessionId read = source(source, surroundings);
            if (read != null) {
                sources.add(read);
            }
        }
        if (sources.isEmpty()) {
            sources.add(header("x-session-id"));
        }
        Duration timeToLive = Duration.ofSeconds(config.whole("evictionTtlSeconds", 300, 1, 1 << 30));
        config.accepted("evictionSweepSeconds");
        config.done();
        if (strategy.equals("encoded_endpoint_header")) {
            return new EndpointToken(header);
        }
        return new SessionAffinity(request -> first(sources, request), timeToLive, surroundings.nanoTime());
    }

    static SessionId producer(Parameters p) {
        String header = p.text("headerName", "");
        String cookie = p.text("cookieName", "");
        if (header.isEmpty() == cookie.isEmpty()) {
            p.problem("headerName", "write exactly one of headerName and cookieName");
        }
        return header.isEmpty() ? cookie(cookie) : header(header);
    }

    private static @Nullable SessionId source(Parameters p, Surroundings surroundings) {
        String header = p.text("header", "");
        String producer = p.text("producer", "");
        p.accepted("attribute");
        p.done();
        if (!header.isEmpty()) {
            return header(header);
        }
        Object found = surroundings.references().find(producer);
        if (found instanceof SessionId session) {
            return session;
        }
        p.problem("producer", "'" + producer + "' is no session-id-producer; write that, or header: NAME");
        return null;
    }

    private static SessionId header(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return request -> request.headers().get(lower);
    }

    private static SessionId cookie(String name) {
        return request -> {
            for (String pair : request.headers().getOrDefault("cookie", "").split(";")) {
                int equals = pair.indexOf('=');
                if (equals > 0 && pair.substring(0, equals).trim().equals(name)) {
                    return pair.substring(equals + 1).trim();
                }
            }
            return null;
        };
    }

    private static @Nullable String first(List<SessionId> sources, InferenceRequest request) {
        for (SessionId source : sources) {
            String session = source.apply(request);
            if (session != null && !session.isEmpty()) {
                return session;
            }
        }
        return null;
    }
}
