package dev.plainsail.epp.datalayer;

import dev.plainsail.epp.pool.Endpoint;
import dev.plainsail.epp.pool.EndpointPool;
import dev.plainsail.epp.pool.Pools;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks engines which models they serve ({@code GET /v1/models}): aliases and adapters that nobody has used yet are in no
 * metric. Only where it matters, which is where there are several pools: with one, nobody is asked. Each engine soon after
 * it was seen, then every half minute; one that does not answer keeps what it said before.
 */
public final class ModelLists implements AutoCloseable {
    /** @param models each entry as the engine wrote it, by id */
    public record Listing(EndpointLoad load, Map<String, String> models) {
        public Listing {
            models = Map.copyOf(models);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(ModelLists.class);
    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration RETRY = Duration.ofSeconds(3);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int OK = 200;
    private static final int MOST_BYTES = 4 << 20;

    private final Pools pools;
    private final LoadTable loads;
    private final Supplier<Optional<String>> authorization;
    private final Consumer<Listing> listener;
    private final LongSupplier nanoTime;
    private final JsonMapper json = JsonMapper.builder().build();
    private final ExecutorService asking = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .executor(asking)
            .build();
    private final Map<EndpointLoad, Long> dueAt = new WeakHashMap<>();
    private final Set<EndpointLoad> running = new HashSet<>();

    /**
     * @param authorization value of the header of that name, if engines want one
     * @param listener is called on threads of its own
     */
    public ModelLists(
            Pools pools,
            LoadTable loads,
            Supplier<Optional<String>> authorization,
            LongSupplier nanoTime,
            Consumer<Listing> listener) {
        this.pools = pools;
        this.loads = loads;
        this.authorization = authorization;
        this.nanoTime = nanoTime;
        this.listener = listener;
    }

    /** Asks those that are due. To be called every second or so. */
    public synchronized void tick() {
        if (pools.all().size() < 2) {
            return;
        }
        long now = nanoTime.getAsLong();
        for (EndpointPool pool : pools.all()) {
            for (Endpoint endpoint : pool.current().endpoints()) {
                EndpointLoad load = loads.at(endpoint.slot());
                Long due = dueAt.get(load);
                if ((due == null || now - due >= 0) && running.add(load)) {
                    asking.execute(() -> ask(endpoint, load));
                }
            }
        }
    }

    private void ask(Endpoint endpoint, EndpointLoad load) {
        Duration next = RETRY;
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(
                            URI.create("http://" + endpoint.hostPort() + "/v1/models"))
                    .timeout(TIMEOUT);
            authorization.get().ifPresent(value -> request.header("Authorization", value));
            HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == OK && response.body().length() <= MOST_BYTES) {
                listener.accept(new Listing(load, models(response.body())));
                next = INTERVAL;
            } else {
                LOG.debug("{} does not list its models: status {}", endpoint.hostPort(), response.statusCode());
            }
        } catch (IOException | JacksonException e) {
            LOG.debug("{} does not list its models: {}", endpoint.hostPort(), e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            done(load, next);
        }
    }

    private synchronized void done(EndpointLoad load, Duration next) {
        running.remove(load);
        dueAt.put(load, nanoTime.getAsLong() + next.toNanos());
    }

    private Map<String, String> models(String body) {
        Map<String, String> models = new LinkedHashMap<>();
        for (JsonNode entry : json.readTree(body).path("data")) {
            JsonNode id = entry.path("id");
            if (id.isString()) {
                models.putIfAbsent(id.asString(), entry.toString());
            }
        }
        return models;
    }

    @Override
    public void close() {
        asking.shutdownNow();
        client.shutdownNow();
    }
}
