package dev.plainsail.epp.protocol;

import dev.plainsail.epp.routing.Reason;
import dev.plainsail.epp.routing.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds the answers that are not pieces of a body. Those without variable parts are constants. */
final class Answers {
    /** Names the endpoint that serves the request, for the person who sent it. */
    static final String ENDPOINT_HEADER = "x-plainsail-endpoint";

    /** Why a request was refused: a {@link Reason#label}. */
    static final String REASON_HEADER = "x-plainsail-reason";

    /** The same in llm-d's words, where it has one. */
    static final String LLM_D_REASON_HEADER = "x-llm-d-request-dropped-reason";

    static final String OWN_SPACE = "dev.plainsail";
    static final String TICKET = "ticket";

    private static final String BALANCER_SPACE = "envoy.lb";
    private static final int OVERWRITE = 2;
    private static final int OK = 200;

    static final Answer REQUEST_HEADERS = empty(1);
    static final Answer RESPONSE_HEADERS = empty(2);
    static final Answer REQUEST_BODY = empty(3);
    static final Answer RESPONSE_BODY = empty(4);
    static final Answer REQUEST_TRAILERS = empty(5);
    static final Answer RESPONSE_TRAILERS = empty(6);

    private Answers() {}

    private static Answer empty(int field) {
        return new FixedAnswer(new WireWriter().message(field, new WireWriter()).toByteArray());
    }

    /**
     * The answer that routes a request: the destination as a header and, from the same value, as metadata.
     *
     * @param field of {@code ProcessingResponse}: 1 if it answers the headers, 3 if it answers a buffered body
     * @param remove headers that the client must not have set
     * @param body takes the place of a buffered body; null: the body stays
     * @param tellLength whether the content-length is to become the body's; proxies that send on more than they buffered
     *     have taken it away themselves
     */
    static byte[] routed(
            int field,
            Destination destination,
            long ticket,
            List<String> remove,
            byte @Nullable [] body,
            boolean tellLength) {
        WireWriter mutation = new WireWriter().message(1, header(HintReader.DESTINATION, destination.hostPorts()));
        WireWriter common = new WireWriter();
        if (body != null && tellLength) {
            mutation.message(1, header("content-length", Integer.toString(body.length)));
        }
        for (String name : remove) {
            mutation.text(2, name);
        }
        common.message(2, mutation);
        if (body != null) {
            common.message(3, new WireWriter().bytes(1, body));
        }
        return new WireWriter()
                .message(field, new WireWriter().message(1, common))
                .message(8, metadata(destination, ticket))
                .toByteArray();
    }

    /**
     * Tells the client of the decision in the response's headers.
     *
     * @param endpoint null: it is not told
     * @param told further headers
     */
    static byte[] responseHeaders(@Nullable String endpoint, Map<String, String> told) {
        WireWriter mutation = new WireWriter();
        if (endpoint != null) {
            mutation.message(1, header(ENDPOINT_HEADER, endpoint));
        }
        told.forEach((name, value) -> mutation.message(1, header(name, value)));
        return new WireWriter()
                .message(2, new WireWriter().message(1, new WireWriter().message(2, mutation)))
                .toByteArray();
    }

    /** The ticket comes last, so that it can be patched in place: its eight bytes are the answer's last ones. */
    private static WireWriter metadata(Destination destination, long ticket) {
        WireWriter balancer = struct(HintReader.DESTINATION, new WireWriter().text(3, destination.hostPorts()));
        WireWriter own = struct(HintReader.POOL, new WireWriter().text(3, destination.pool()));
        destination.told().forEach((name, value) -> own.message(1, entry(name, new WireWriter().text(3, value))));
        own.message(1, entry(TICKET, new WireWriter().fixedDouble(2, (double) ticket)));
        return new WireWriter()
                .message(1, entry(BALANCER_SPACE, new WireWriter().message(5, balancer)))
                .message(1, entry(OWN_SPACE, new WireWriter().message(5, own)));
    }

    private static WireWriter struct(String key, WireWriter value) {
        return new WireWriter().message(1, entry(key, value));
    }

    private static WireWriter entry(String key, WireWriter value) {
        return new WireWriter().text(1, key).message(2, value);
    }

    /**
     * {@code append} stays unset: Envoy 1.40 looks at nothing else and replaces then; other proxies read the action.
     * {@code raw_value}, because Envoy ignores {@code value}.
     */
    private static WireWriter header(String name, String value) {
        WireWriter pair = new WireWriter().text(1, name).text(3, value);
        return new WireWriter().message(1, pair).varint(3, OVERWRITE);
    }

    /** Refuses a request with an error body in OpenAI's shape. */
    static Answer refused(Verdict.Reject reject) {
        Reason reason = reject.reason();
        WireWriter headers = new WireWriter()
                .message(1, header("content-type", "application/json"))
                .message(1, header(REASON_HEADER, reason.label()));
        String dropped = llmdReason(reason);
        if (dropped != null) {
            headers.message(1, header(LLM_D_REASON_HEADER, dropped));
        }
        if (reject.retryAfterSeconds() > 0) {
            headers.message(1, header("retry-after", Integer.toString(reject.retryAfterSeconds())));
        }
        WireWriter immediate = new WireWriter()
                .message(1, new WireWriter().varint(1, reason.status()))
                .message(2, headers)
                .bytes(3, errorBody(reason, reject.message()))
                .text(5, "plainsail_" + reason.label());
        return new FixedAnswer(new WireWriter().message(7, immediate).toByteArray());
    }

    /** Answers a request in the engines' place. */
    static Answer replied(Verdict.Reply reply) {
        WireWriter immediate = new WireWriter()
                .message(1, new WireWriter().varint(1, OK))
                .message(2, new WireWriter().message(1, header("content-type", "application/json")))
                .bytes(3, reply.json().getBytes(StandardCharsets.UTF_8))
                .text(5, "plainsail_reply");
        return new FixedAnswer(new WireWriter().message(7, immediate).toByteArray());
    }

    static byte[] errorBody(Reason reason, String message) {
        String type = switch (reason.status()) {
            case 404 -> "not_found_error";
            case 429 -> "rate_limit_error";
            case 500 -> "server_error";
            case 503 -> "service_unavailable_error";
            default -> "invalid_request_error";
        };
        return ("{\"error\":{\"message\":" + quoted(message) + ",\"type\":\"" + type + "\",\"param\":null,\"code\":\""
                        + reason.label() + "\"}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static @Nullable String llmdReason(Reason reason) {
        return switch (reason) {
            case SATURATED, MEMORY_FULL -> "rejected-saturated";
            case NO_ENDPOINT, SUBSET_WITHOUT_ENDPOINT -> "rejected-no-endpoints";
            case DECISION_TIMEOUT -> "rejected-ttl-expired";
            case NOT_READY -> "rejected-shutting-down";
            case BODY_UNREADABLE, MODEL_MISSING, MODEL_UNKNOWN, POOL_UNKNOWN, BODY_TOO_LARGE, INTERNAL -> null;
        };
    }

    /** A text as JSON, quotes included. */
    static String quoted(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
