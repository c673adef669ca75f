package dev.plainsail.webhook.cluster;

import dev.plainsail.webhook.plan.ClusterView;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
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
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What warnings look at, kept current by watches: classes, slices, claims and quotas of the whole cluster. */
public final class ClusterInformers implements ClusterView, AutoCloseable {
    private static final String DEVICES = "resource.k8s.io";

    private final KubernetesClient client;
    private final Kind deviceClasses;
    private final Kind slices;
    private final Kind claims;
    private final Kind quotas;
    private final AtomicLong changes = new AtomicLong();
    private volatile @Nullable Made current;

    private record Made(long version, Snapshot snapshot) {}

    public ClusterInformers(Cluster cluster) {
        client = cluster.client();
        deviceClasses = new Kind("deviceclasses", DEVICES, "DeviceClass", false, tree -> tree);
        slices = new Kind("resourceslices", DEVICES, "ResourceSlice", false, tree -> tree);
        claims = new Kind("resourceclaims", DEVICES, "ResourceClaim", true, ClusterInformers::allocation);
        quotas = new Kind("resourcequotas", "", "ResourceQuota", true, tree -> tree);
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

    private final class Kind implements ResourceEventHandler<GenericKubernetesResource> {
        private final ConcurrentMap<String, JsonNode> objects = new ConcurrentHashMap<>();
        private final UnaryOperator<JsonNode> keep;
        private final Watch<GenericKubernetesResource> watch;

        /** As trees, without the client's classes: their annotations alone took a second of the start. */
        Kind(String plural, String group, String kind, boolean isNamespaced, UnaryOperator<JsonNode> keep) {
            this.keep = keep;
            var resources = client.genericKubernetesResources(new ResourceDefinitionContext.Builder()
                    .withGroup(group)
                    .withVersion("v1")
                    .withKind(kind)
                    .withPlural(plural)
                    .withNamespaced(isNamespaced)
                    .build());
            // The trees are kept here; the client needs no more than names and versions.
            watch = new Watch<>(
                            plural,
                            isNamespaced ? resources.inAnyNamespace() : resources,
                            new Trimmed<>(object -> Trimmed.named(new GenericKubernetesResource(), object)),
                            this)
                    .start();
        }

        List<JsonNode> list() {
            return List.copyOf(objects.values());
        }

        @Override
        public void onAdd(GenericKubernetesResource object) {
            object.getMetadata().setManagedFields(null);
            objects.put(
                    Cache.metaNamespaceKeyFunc(object),
                    keep.apply(client.getKubernetesSerialization().convertValue(object, JsonNode.class)));
            changes.incrementAndGet();
        }

        @Override
        public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource now) {
            onAdd(now);
        }

        @Override
        public void onDelete(GenericKubernetesResource object, boolean finalStateUnknown) {
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
