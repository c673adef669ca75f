package dev.plainsail.e2e.cluster;

import static dev.plainsail.certs.Waiting.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;

/** Namespaces to work in. */
public final class TestNamespaces {
    private TestNamespaces() {}

    /** Without labels. */
    public static void create(KubernetesClient client, String name) {
        create(client, name, Map.of());
    }

    /** Makes one and waits for its ServiceAccount, without which its pods are refused. */
    public static void create(KubernetesClient client, String name, Map<String, String> labels) {
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withLabels(labels)
                        .endMetadata()
                        .build())
                .create();
        await().atMost(TestSpace.PATIENCE)
                .until(() -> client.serviceAccounts()
                                .inNamespace(name)
                                .withName("default")
                                .get()
                        != null);
    }
}
