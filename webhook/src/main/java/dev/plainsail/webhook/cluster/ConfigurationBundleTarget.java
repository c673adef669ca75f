package dev.plainsail.webhook.cluster;

import dev.plainsail.certs.authority.BundleTarget;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The caBundle of the webhooks in our configuration that call our Service. It is applied under a field manager of its own,
 * so a GitOps tool that applies the manifest, which has no caBundle, neither sees a difference nor takes it away.
 */
public final class ConfigurationBundleTarget implements BundleTarget {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationBundleTarget.class);
    private static final String FIELD_MANAGER = "plainsail-authority";
    private static final JsonMapper JSON = new JsonMapper();

    private final KubernetesClient client;
    private final String configuration;
    private final String namespace;
    private final String service;

    public ConfigurationBundleTarget(Cluster cluster, String configuration, String namespace, String service) {
        this.client = cluster.client();
        this.configuration = configuration;
        this.namespace = namespace;
        this.service = service;
    }

    @Override
    public void publish(String bundle) {
        String wanted = Base64.getEncoder().encodeToString(bundle.getBytes(StandardCharsets.UTF_8));
        var resource = client.admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName(configuration);
        MutatingWebhookConfiguration found = resource.get();
        if (found == null) {
            // Not an error: removal takes the configuration away first, and an install may bring it last.
            LOG.atWarn()
                    .setMessage("nothing calls us: there is no such MutatingWebhookConfiguration")
                    .addKeyValue("name", configuration)
                    .log();
            return;
        }
        List<MutatingWebhook> ours =
                found.getWebhooks().stream().filter(this::callsUs).toList();
        if (ours.stream()
                .allMatch(webhook -> wanted.equals(webhook.getClientConfig().getCaBundle()))) {
            return;
        }
        resource.patch(
                new PatchContext.Builder()
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .withFieldManager(FIELD_MANAGER)
                        .withForce(true)
                        .build(),
                applied(ours, wanted));
        LOG.atInfo()
                .setMessage("published our authority's bundle")
                .addKeyValue("configuration", configuration)
                .log();
    }

    private boolean callsUs(MutatingWebhook webhook) {
        return Optional.ofNullable(webhook.getClientConfig().getService())
                .filter(called -> namespace.equals(called.getNamespace()) && service.equals(called.getName()))
                .isPresent();
    }

    private String applied(List<MutatingWebhook> webhooks, String bundle) {
        ObjectNode tree = JSON.createObjectNode();
        tree.put("apiVersion", "admissionregistration.k8s.io/v1");
        tree.put("kind", "MutatingWebhookConfiguration");
        tree.putObject("metadata").put("name", configuration);
        ArrayNode list = tree.putArray("webhooks");
        for (MutatingWebhook webhook : webhooks) {
            ObjectNode entry = list.addObject();
            entry.put("name", webhook.getName());
            entry.putObject("clientConfig").put("caBundle", bundle);
        }
        return JSON.writeValueAsString(tree);
    }
}
