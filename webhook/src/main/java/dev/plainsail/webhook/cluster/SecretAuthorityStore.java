package dev.plainsail.webhook.cluster;

import dev.plainsail.certs.authority.AuthorityStore;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The authority in a Secret of our own namespace; the resource version decides which writer was first. */
public final class SecretAuthorityStore implements AuthorityStore {
    private final KubernetesClient client;
    private final String namespace;
    private final String name;

    public SecretAuthorityStore(Cluster cluster, String namespace, String name) {
        this.client = cluster.client();
        this.namespace = namespace;
        this.name = name;
    }

    @Override
    public Optional<Stored> read() {
        Secret secret = client.secrets().inNamespace(namespace).withName(name).get();
        if (secret == null) {
            return Optional.empty();
        }
        Map<String, String> data = new TreeMap<>();
        if (secret.getData() != null) {
            secret.getData().forEach((key, value) -> data.put(key, decode(value)));
        }
        return Optional.of(new Stored(data, secret.getMetadata().getResourceVersion()));
    }

    @Override
    public boolean create(Map<String, String> data) {
        return unlessConflict(() -> client.resource(secret(data)).create());
    }

    @Override
    public boolean replace(Stored seen, Map<String, String> data) {
        return unlessConflict(() -> client.resource(secret(data))
                .lockResourceVersion(seen.version())
                .update());
    }

    private static boolean unlessConflict(Runnable write) {
        try {
            write.run();
            return true;
        } catch (KubernetesClientException e) {
            boolean deletedMeanwhile = e.getCode() == HttpURLConnection.HTTP_NOT_FOUND;
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT || deletedMeanwhile) {
                return false;
            }
            throw e;
        }
    }

    private Secret secret(Map<String, String> data) {
        Map<String, String> encoded = new TreeMap<>();
        data.forEach((key, value) ->
                encoded.put(key, Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))));
        return new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .addToLabels("app.kubernetes.io/managed-by", "plainsail")
                .endMetadata()
                .withType("kubernetes.io/tls")
                .withData(encoded)
                .build();
    }

    /** Foreign text in an entry is for the reader of the state to refuse. */
    private static String decode(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
