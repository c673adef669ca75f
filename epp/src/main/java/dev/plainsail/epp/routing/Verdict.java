package dev.plainsail.epp.routing;

import dev.plainsail.epp.pool.Endpoint;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What becomes of a request. */
public sealed interface Verdict {
    /**
     * @param inOrder the chosen endpoint, then the fallbacks for proxies that take a list; never empty
     * @param model the name that replaces the model of the body's root; null: the body stays as it is
     * @param inFlight the booking on the first endpoint; must be ended
     */
    record Forward(List<Endpoint> inOrder, @Nullable String model, InFlight inFlight) implements Verdict {
        public Forward {
            inOrder = List.copyOf(inOrder);
        }
    }

    /**
     * A request that goes on, and whose client is told something of the decision.
     *
     * @param headers of the response, names in lower case, values printable ASCII
     */
    record Told(Forward forward, Map<String, String> headers) implements Verdict {
        public Told {
            headers = Collections.unmodifiableMap(new TreeMap<>(headers));
        }
    }

    /**
     * The picker itself answers, with status 200.
     *
     * @param json the body
     */
    record Reply(String json) implements Verdict {}

    /**
     * @param message for the person who sent the request
     * @param retryAfterSeconds 0: none is sent
     */
    record Reject(Reason reason, String message, int retryAfterSeconds) implements Verdict {}
}
