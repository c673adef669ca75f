package dev.plainsail.epp.pool;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pools from InferencePools, and rules for requests from InferenceObjectives and InferenceModelRewrites, for as far as
 * their kinds are installed. It looks for the kinds every minute; of a kind that has two groups the newer one counts
 * alone.
 */
public final class InferenceSource implements EndpointSource {
    private static final Logger LOG = LoggerFactory.getLogger(InferenceSource.class);

    /** One kind, in the groups in which it exists, the newest first. */
    private record Kind(String plural, String kind, List<String> apiVersions) {}

    private static final Kind POOL = new Kind(
            "inferencepools",
            "InferencePool",
            List.of("inference.networking.k8s.io/v1", "inference.networking.x-k8s.io/v1alpha2"));
    private static final List<String> LLM_D = List.of("llm-d.ai/v1alpha2", "inference.networking.x-k8s.io/v1alpha2");
    private static final Kind OBJECTIVE = new Kind("inferenceobjectives", "InferenceObjective", LLM_D);
    private static final Kind REWRITE = new Kind("inferencemodelrewrites", "InferenceModelRewrite", LLM_D);

    private final KubernetesClient client;
    private final @Nullable String namespace;
    private final Pools pools;
    private final Consumer<TrafficRules> rules;
    private final WatchedObjects.Timing timing;
    private final Duration look;
    private final Map<Kind, WatchedObjects<?, ?>> kinds = new HashMap<>();
    private final Map<PoolSelector, WatchedObjects<Pod, PodView>> pods = new HashMap<>();
    private final Map<String, @Nullable String> namespaceOfPool = new HashMap<>();
    private final Thread thread;
    private Map<String, Integer> priorities = Map.of();
    private List<TrafficRules.Rewrite> rewrites = List.of();
    private volatile boolean looked;

    private InferenceSource(
            KubernetesClient client,
            @Nullable String namespace,
            Pools pools,
            Consumer<TrafficRules> rules,
            WatchedObjects.Timing timing,
            Duration look) {
        this.client = client;
        this.namespace = namespace;
        this.pools = pools;
        this.rules = rules;
        this.timing = timing;
        this.look = look;
        this.thread = Thread.ofVirtual().name("inference kinds").unstarted(this::run);
    }

    /**
     * @param namespace null: all
     * @param rules told of each change
     */
    public static InferenceSource start(
            KubernetesClient client, @Nullable String namespace, Pools pools, Consumer<TrafficRules> rules) {
        return start(client, namespace, pools, rules, WatchedObjects.Timing.DEFAULT, Duration.ofMinutes(1));
    }

    static InferenceSource start(
            KubernetesClient client,
            @Nullable String namespace,
            Pools pools,
            Consumer<TrafficRules> rules,
            WatchedObjects.Timing timing,
            Duration look) {
        InferenceSource source = new InferenceSource(client, namespace, pools, rules, timing, look);
        source.thread.start();
        return source;
    }

    private void run() {
        try {
            while (true) {
                lookForKinds();
                Thread.sleep(look.toMillis());
            }
        } catch (InterruptedException e) {
            LOG.debug("no longer looking for kinds");
        }
    }

    /** A cluster without these kinds, or a picker that may not read them, works all the same (fail open). */
    private synchronized void lookForKinds() {
        try {
            watch(POOL, InferenceResources::pool, this::poolsChanged);
            watch(OBJECTIVE, InferenceResources::objective, this::objectivesChanged);
            watch(REWRITE, InferenceResources::rewrites, this::rewritesChanged);
            looked = true;
        } catch (KubernetesClientException e) {
            LOG.warn("cannot look for inference kinds: {}; they are looked for again", e.getMessage());
        }
    }

    private <V> void watch(Kind kind, Function<GenericKubernetesResource, V> view, Consumer<Collection<V>> listener) {
        String installed = kinds.containsKey(kind)
                ? null
                : kind.apiVersions().stream()
                        .filter(version -> client.supports(version, kind.kind()))
                        .findFirst()
                        .orElse(null);
        if (installed == null) {
            return;
        }
        WatchedObjects<?, ?> watched = new WatchedObjects<>(
                kind.plural() + " of " + installed, query(kind, installed), view, listener, timing);
        kinds.put(kind, watched);
        watched.start();
    }

    private FilterWatchListDeletable<
                    GenericKubernetesResource, GenericKubernetesResourceList, Resource<GenericKubernetesResource>>
            query(Kind kind, String apiVersion) {
        String[] parts = apiVersion.split("/", 2);
        var resources = client.genericKubernetesResources(new ResourceDefinitionContext.Builder()
                .withGroup(parts[0])
                .withVersion(parts[1])
                .withKind(kind.kind())
                .withPlural(kind.plural())
                .withNamespaced(true)
                .build());
        return namespace == null ? resources.inAnyNamespace() : resources.inNamespace(namespace);
    }

    private synchronized void poolsChanged(Collection<PoolSelector> now) {
        List<PoolSelector> gone = new ArrayList<>(pods.keySet());
        gone.removeAll(now);
        for (PoolSelector selector : gone) {
            WatchedObjects<Pod, PodView> watched = pods.remove(selector);
            if (watched != null) {
                watched.close();
            }
            pools.get(nameOf(selector)).replace(shareOf(selector), List.of());
        }
        for (PoolSelector selector : now) {
            if (!pods.containsKey(selector) && !selector.selector().isEmpty()) {
                EndpointPool pool = pools.get(nameOf(selector));
                WatchedObjects<Pod, PodView> watched = new WatchedObjects<>(
                        "pods of InferencePool " + selector.name(),
                        client.pods().inNamespace(selector.namespace()).withLabelSelector(selector.selector()),
                        PodView::from,
                        found -> pool.replace(shareOf(selector), PodMembers.of(found, selector.ports())),
                        timing);
                pods.put(selector, watched);
                watched.start();
            }
        }
    }

    /** The plain name belongs to the first namespace that uses it; others are {@code namespace/name}. */
    private String nameOf(PoolSelector selector) {
        String owner = namespaceOfPool.computeIfAbsent(selector.name(), ignored -> selector.namespace());
        return owner == null || owner.equals(selector.namespace())
                ? selector.name()
                : selector.namespace() + "/" + selector.name();
    }

    private static String shareOf(PoolSelector selector) {
        return "InferencePool " + selector.namespace() + "/" + selector.name();
    }

    private synchronized void objectivesChanged(Collection<Map.Entry<String, Integer>> now) {
        Map<String, Integer> fresh = new TreeMap<>();
        now.forEach(objective -> fresh.put(objective.getKey(), objective.getValue()));
        priorities = fresh;
        rules.accept(new TrafficRules(priorities, rewrites));
    }

    private synchronized void rewritesChanged(Collection<List<TrafficRules.Rewrite>> now) {
        rewrites = now.stream().flatMap(List::stream).toList();
        rules.accept(new TrafficRules(priorities, rewrites));
    }

    @Override
    public synchronized boolean synced() {
        return looked
                && kinds.values().stream().allMatch(WatchedObjects::synced)
                && pods.values().stream().allMatch(WatchedObjects::synced);
    }

    @Override
    public synchronized long secondsSinceHeard() {
        return kinds.values().stream()
                .mapToLong(WatchedObjects::secondsSinceHeard)
                .max()
                .orElse(0);
    }

    @Override
    public synchronized void close() {
        thread.interrupt();
        kinds.values().forEach(WatchedObjects::close);
        pods.values().forEach(WatchedObjects::close);
    }
}
