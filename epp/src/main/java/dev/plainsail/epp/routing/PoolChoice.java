package dev.plainsail.epp.routing;

import dev.plainsail.epp.pool.EndpointPool;
import dev.plainsail.epp.pool.Pools;
import dev.plainsail.epp.pool.TrafficRules;
import dev.plainsail.epp.prefix.PrefixIndex;
import dev.plainsail.epp.scheduling.InferenceRequest;
import dev.plainsail.epp.scheduling.Scheduler;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Which pool a request belongs to: what the route or the header names, else the model's, else the only one. */
final class PoolChoice {
    sealed interface Result permits Chosen, Refused, Models {}

    record Chosen(PoolRouting pool) implements Result {}

    record Refused(Verdict.Reject reject) implements Result {}

    /** The request asks which models there are, of all pools. */
    record Models(String json) implements Result {}

    private static final int RETRY_AFTER_SECONDS = 5;

    private final ModelDirectory models;
    private volatile TrafficRules rules = TrafficRules.NONE;
    private final Map<String, PoolRouting> byName = new ConcurrentHashMap<>();

    PoolChoice(
            Pools pools,
            ModelDirectory models,
            Function<EndpointPool, PrefixIndex> prefixes,
            Function<EndpointPool, Scheduler> schedulers) {
        this.models = models;
        pools.watch(
                pool -> byName.put(pool.name(), new PoolRouting(pool, prefixes.apply(pool), schedulers.apply(pool))));
    }

    void rules(TrafficRules replacement) {
        rules = replacement;
    }

    Iterable<PoolRouting> all() {
        return byName.values();
    }

    Result choose(InferenceRequest request) {
        String hint = request.poolHint();
        if (hint != null && !hint.isEmpty()) {
            PoolRouting named = byName.get(hint);
            return named != null ? new Chosen(named) : refuse(Reason.POOL_UNKNOWN, "there is no pool " + hint, 0);
        }
        if (byName.size() == 1) {
            return new Chosen(byName.values().iterator().next());
        }
        if (byName.isEmpty()) {
            return refuse(Reason.NO_ENDPOINT, "there is no pool yet", RETRY_AFTER_SECONDS);
        }
        String model = request.model();
        if (model == null && asksForModels(request)) {
            return new Models(models.json());
        }
        if (model == null) {
            return refuse(Reason.MODEL_MISSING, "the request names no model, and there are several pools", 0);
        }
        String named = rules.poolOf(model);
        String pool = named == null ? models.poolOf(model) : named;
        PoolRouting serving = byName.get(pool == null ? model : pool);
        if (serving != null) {
            return new Chosen(serving);
        }
        return models.complete()
                ? refuse(Reason.MODEL_UNKNOWN, "no pool serves the model " + model, 0)
                : refuse(Reason.NO_ENDPOINT, "no ready endpoint serves the model " + model, RETRY_AFTER_SECONDS);
    }

    private static boolean asksForModels(InferenceRequest request) {
        String path = request.path();
        int query = path.indexOf('?');
        String plain = query < 0 ? path : path.substring(0, query);
        return plain.endsWith("/v1/models") && "GET".equals(request.headers().get(":method"));
    }

    private static Refused refuse(Reason reason, String message, int retryAfterSeconds) {
        return new Refused(new Verdict.Reject(reason, message, retryAfterSeconds));
    }
}
