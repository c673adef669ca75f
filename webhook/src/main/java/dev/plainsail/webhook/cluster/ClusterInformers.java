package dev.plainsail.webhook.cluster;

import dev.plainsail.webhook.plan.ClusterView;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

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
        deviceClasses = new Kind<>("deviceclasses", devices.deviceClasses(), DeviceClass::new, tree -> tree);
        slices = new Kind<>("resourceslices", devices.resourcesSlices(), ResourceSlice::new, tree -> tree);
        claims = new Kind<>(
                "resourceclaims",
                devices.resourceClaims().inAnyNamespace(),
                ResourceClaim::new,
                ClusterInformers::allocation);
        quotas = new Kind<>(
                "resourcequotas", client.resourceQuotas().inAnyNamespace(), ResourceQuota::new, tree -> tree);
    }

    /** There may be ten thousand claims, and all that is asked of them is which devices they hold. */
    private static JsonNode allocation(JsonNode claim) {
        ObjectNode kept = JsonNodeFactory.instance.objectNode();
        JsonNode results = claim.at("/status/allocation/devices/results");
        if (results.isArray()) {
            kept.putObject("status")
                    .putObject("allocation")
                    .putObject("devices")
                    .set("results", results);
        }
        return kept;
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
        private final UnaryOperator<JsonNode> keep;
        private final Watch<T> watch;

        Kind(String what, Informable<T> source, Supplier<T> empty, UnaryOperator<JsonNode> keep) {
            this.keep = keep;
            // The trees are kept here; the client needs no more than names and versions.
            watch = new Watch<>(what, source, new Trimmed<>(object -> Trimmed.named(empty.get(), object)), this)
                    .start();
        }

        List<JsonNode> list() {
            return List.copyOf(objects.values());
        }

        @Override
        public void onAdd(T object) {
            object.getMetadata().setManagedFields(null);
            objects.put(
                    Cache.metaNamespaceKeyFunc(object),
                    keep.apply(client.getKubernetesSerialization().convertValue(object, JsonNode.class)));
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
