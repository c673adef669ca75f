package dev.plainsail.e2e.webhook;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;

/** Namespaces with labels. */
final class TestNamespaces {
    private TestNamespaces() {}

    /** Makes one and waits for its ServiceAccount, without which its pods are refused. */
    static void create(KubernetesClient client, String name, Map<String, String> labels) {
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withLabels(labels)
                        .endMetadata()
                        .build())
                .create();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> client.serviceAccounts()
                                .inNamespace(name)
                                .withName("default")
                                .get()
                        != null);
    }
}
