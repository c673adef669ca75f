package dev.plainsail.webhook.cluster;

import dev.plainsail.dra.ClaimTemplate;
import dev.plainsail.dra.DeviceClaim;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.net.HttpURLConnection;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import tools.jackson.databind.json.JsonMapper;

/** The claim templates that we manage: a view of all of them, and the only writes that we make to them. */
public final class ClaimTemplates implements AutoCloseable {
    private static final ResourceDefinitionContext KIND = new ResourceDefinitionContext.Builder()
            .withGroup("resource.k8s.io")
            .withVersion("v1")
            .withKind("ResourceClaimTemplate")
            .withPlural("resourceclaimtemplates")
            .withNamespaced(true)
            .build();
    private static final JsonMapper JSON = new JsonMapper();

    private final KubernetesClient client;
    private final ConcurrentMap<TemplateKey, TemplateView> views = new ConcurrentHashMap<>();
    private final Consumer<TemplateKey> onChange;
    private final Watch<GenericKubernetesResource> watch;

    /** @param onChange called on the client's thread with each template of ours that changed */
    public ClaimTemplates(Cluster cluster, Consumer<TemplateKey> onChange) {
        client = cluster.client();
        this.onChange = onChange;
        watch = new Watch<>(
                        "resourceclaimtemplates with the label " + ClaimTemplate.MANAGED_BY_LABEL,
                        client.genericKubernetesResources(KIND)
                                .inAnyNamespace()
                                .withLabel(ClaimTemplate.MANAGED_BY_LABEL, ClaimTemplate.MANAGED_BY),
                        new Trimmed<>(UnaryOperator.identity()),
                        new Handler())
                .start();
    }

    public boolean isSynced() {
        return watch.isSynced();
    }

    /** From the view: one that carries our label. */
    public Optional<TemplateView> managed(TemplateKey key) {
        return Optional.ofNullable(views.get(key));
    }

    public Set<TemplateKey> managed() {
        return Set.copyOf(views.keySet());
    }

    /** From the API server, whoever made it. */
    public Optional<TemplateView> read(TemplateKey key) {
        return Optional.ofNullable(client.genericKubernetesResources(KIND)
                        .inNamespace(key.namespace())
                        .withName(key.name())
                        .get())
                .map(TemplateView::of);
    }

    /** @return whether it was made; false if the name is taken */
    public boolean create(DeviceClaim claim, String namespace) {
        GenericKubernetesResource template = JSON.readValue(
                JSON.writeValueAsString(ClaimTemplate.manifest(claim, namespace)), GenericKubernetesResource.class);
        try {
            client.genericKubernetesResources(KIND)
                    .inNamespace(namespace)
                    .resource(template)
                    .create();
            return true;
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
                return false;
            }
            throw Refused.of(e);
        }
    }

    /** Remembers on the object since when it is unused; empty takes the mark away. */
    public void mark(TemplateKey key, Optional<Instant> unusedSince) {
        String value = unusedSince.map(at -> "\"" + at + "\"").orElse("null");
        String patch = "{\"metadata\":{\"annotations\":{\"" + TemplateView.UNUSED_SINCE + "\":" + value + "}}}";
        try {
            client.genericKubernetesResources(KIND)
                    .inNamespace(key.namespace())
                    .withName(key.name())
                    .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw Refused.of(e);
            }
        }
    }

    /** Only that very object as it was seen: one that changed meanwhile, or a new one of that name, stays. */
    public void delete(TemplateView seen) {
        String options = "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"propagationPolicy\":\""
                + DeletionPropagation.BACKGROUND + "\",\"preconditions\":{\"uid\":\"" + seen.uid()
                + "\",\"resourceVersion\":\"" + seen.resourceVersion() + "\"}}";
        try {
            client.raw(
                    "/apis/resource.k8s.io/v1/namespaces/" + seen.key().namespace() + "/resourceclaimtemplates/"
                            + seen.key().name(),
                    "DELETE",
                    options);
        } catch (KubernetesClientException e) {
            boolean settled =
                    e.getCode() == HttpURLConnection.HTTP_NOT_FOUND || e.getCode() == HttpURLConnection.HTTP_CONFLICT;
            if (!settled) {
                throw Refused.of(e);
            }
        }
    }

    private final class Handler implements ResourceEventHandler<GenericKubernetesResource> {
        @Override
        public void onAdd(GenericKubernetesResource template) {
            put(TemplateView.of(template));
        }

        @Override
        public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource now) {
            put(TemplateView.of(now));
        }

        @Override
        public void onDelete(GenericKubernetesResource template, boolean finalStateUnknown) {
            TemplateKey key = TemplateView.of(template).key();
            views.remove(key);
            onChange.accept(key);
        }

        private void put(TemplateView view) {
            views.put(view.key(), view);
            onChange.accept(view.key());
        }
    }

    @Override
    public void close() {
        watch.close();
    }
}
