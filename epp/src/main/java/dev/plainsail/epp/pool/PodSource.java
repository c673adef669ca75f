package dev.plainsail.epp.pool;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Endpoints from the pods of a cluster: those with the label {@value #POOL}, and those that a {@link PoolSelector} picks.
 */
public final class PodSource implements EndpointSource {
    /** The label that makes a pod a member of the pool it names. */
    public static final String POOL = "plainsail.dev/pool";

    private final Pools pools;
    private final List<WatchedObjects<Pod, PodView>> watched = new ArrayList<>();
    private Set<String> labelled = Set.of();

    private PodSource(Pools pools) {
        this.pools = pools;
    }

    /** @param namespace null: all namespaces */
    public static PodSource start(
            KubernetesClient client, @Nullable String namespace, List<PoolSelector> selectors, Pools pools) {
        return start(client, namespace, selectors, pools, WatchedObjects.Timing.DEFAULT);
    }

    static PodSource start(
            KubernetesClient client,
            @Nullable String namespace,
            List<PoolSelector> selectors,
            Pools pools,
            WatchedObjects.Timing timing) {
        PodSource source = new PodSource(pools);
        source.watched.add(new WatchedObjects<>(
                "pods with label " + POOL, query(client, namespace, POOL), PodView::from, source::labelled, timing));
        for (PoolSelector selector : selectors) {
            EndpointPool pool = pools.get(selector.name());
            source.watched.add(new WatchedObjects<>(
                    "pods of pool " + selector.name(),
                    query(client, selector.namespace() == null ? namespace : selector.namespace(), selector.selector()),
                    PodView::from,
                    pods -> pool.replace("selector " + selector.selector(), PodMembers.of(pods, selector.ports())),
                    timing));
        }
        source.watched.forEach(WatchedObjects::start);
        return source;
    }

    private static FilterWatchListDeletable<Pod, PodList, PodResource> query(
            KubernetesClient client, @Nullable String namespace, String selector) {
        return namespace == null
                ? client.pods().inAnyNamespace().withLabelSelector(selector)
                : client.pods().inNamespace(namespace).withLabelSelector(selector);
    }

    private void labelled(Collection<PodView> pods) {
        Map<String, List<PodView>> byPool =
                pods.stream().collect(Collectors.groupingBy(pod -> pod.labels().getOrDefault(POOL, "")));
        byPool.remove("");
        Set<String> known = new HashSet<>(labelled);
        known.addAll(byPool.keySet());
        for (String name : known) {
            pools.get(name).replace("label", PodMembers.of(byPool.getOrDefault(name, List.of()), List.of()));
        }
        labelled = Set.copyOf(known);
    }

    @Override
    public boolean synced() {
        return watched.stream().allMatch(WatchedObjects::synced);
    }

    @Override
    public long secondsSinceHeard() {
        return watched.stream()
                .mapToLong(WatchedObjects::secondsSinceHeard)
                .max()
                .orElse(0);
    }

    @Override
    public void close() {
        watched.forEach(WatchedObjects::close);
    }
}
