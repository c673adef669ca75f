package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts requests to the API server, each try one. Safe for any thread. */
public final class ApiRequests {
    /** Kubernetes' verbs, as far as we use them; a list counts as a get, page by page. */
    public enum Verb {
        GET,
        WATCH,
        CREATE,
        UPDATE,
        PATCH,
        DELETE,
        OTHER;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }

        private static Verb of(HttpRequest request) {
            return switch (request.method()) {
                case "GET" -> String.valueOf(request.uri().getQuery()).contains("watch=true") ? WATCH : GET;
                case "POST" -> CREATE;
                case "PUT" -> UPDATE;
                case "PATCH" -> PATCH;
                case "DELETE" -> DELETE;
                default -> OTHER;
            };
        }
    }

    private final Map<Verb, LongAdder> counts = new EnumMap<>(Verb.class);

    ApiRequests() {
        for (Verb verb : Verb.values()) {
            counts.put(verb, new LongAdder());
        }
    }

    public long count(Verb verb) {
        LongAdder count = counts.get(verb);
        return count == null ? 0 : count.sum();
    }

    void count(HttpClient.Builder builder) {
        builder.addOrReplaceInterceptor("plainsail-requests", new Interceptor() {
            @Override
            public void before(BasicBuilder ignored, HttpRequest request, RequestTags tags) {
                LongAdder count = counts.get(Verb.of(request));
                if (count != null) {
                    count.increment();
                }
            }
        });
    }
}
