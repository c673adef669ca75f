package dev.plainsail.webhook.cluster;

import dev.plainsail.webhook.plan.ClusterView;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What warnings look at, kept current by watches: classes, slices, claims and quotas of the whole cluster. */
public final class ClusterInformers implements ClusterView, AutoCloseable {
    private final KubernetesClient client;
    private final Kind<?> deviceClasses;
    private final Kind<?> slices;
    private final Kind<?> claims;
    private final Kind<?> quotas;
    private final AtomicLong changes = new AtomicLong();
    private volatile @Nullable Made current;

    private record Made(long version, Snapshot snapshot) {}

    public ClusterInformers(Cluster cluster) {
        client = cluster.client();
        var devices = client.dynamicResourceAllocation().v1();
        deviceClasses = new Kind<>("deviceclasses", devices.deviceClasses());
        slices = new Kind<>("resourceslices", devices.resourcesSlices());
        claims = new Kind<>("resourceclaims", devices.resourceClaims().inAnyNamespace());
        quotas = new Kind<>("resourcequotas", client.resourceQuotas().inAnyNamespace());
    }

    /** Made anew by the first caller after a change, then shared. */
    @Override
    public Optional<Snapshot> snapshot() {
        boolean synced =
                List.of(deviceClasses, slices, claims, quotas).stream().allMatch(kind -> kind.watch.isSynced());
        if (!synced) {
            return Optional.empty();
        }
        long version = changes.get();
        Made made = current;
        if (made == null || made.version() != version) {
            made = new Made(version, new Snapshot(deviceClasses.list(), slices.list(), claims.list(), quotas.list()));
            current = made;
        }
        return Optional.of(made.snapshot());
    }

    private final class Kind<T extends HasMetadata> implements ResourceEventHandler<T> {
        private final ConcurrentMap<String, JsonNode> objects = new ConcurrentHashMap<>();
        private final Watch<T> watch;

        Kind(String what, Informable<T> source) {
            watch = new Watch<>(what, source, new Trimmed<>(UnaryOperator.identity()), this).start();
        }

        List<JsonNode> list() {
            return List.copyOf(objects.values());
        }

        @Override
        public void onAdd(T object) {
            object.getMetadata().setManagedFields(null);
            objects.put(
                    Cache.metaNamespaceKeyFunc(object),
                    client.getKubernetesSerialization().convertValue(object, JsonNode.class));
            changes.incrementAndGet();
        }

        @Override
        public void onUpdate(T before, T now) {
            onAdd(now);
        }

        @Override
        public void onDelete(T object, boolean finalStateUnknown) {
            objects.remove(Cache.metaNamespaceKeyFunc(object));
            changes.incrementAndGet();
        }
    }

    @Override
    public void close() {
        deviceClasses.watch.close();
        slices.watch.close();
        claims.watch.close();
        quotas.watch.close();
    }
}
