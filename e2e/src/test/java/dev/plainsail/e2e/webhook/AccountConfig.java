package dev.plainsail.e2e.webhook;

import dev.plainsail.e2e.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A kubeconfig with a ServiceAccount's token: what its program may do in a pod, outside of one. */
public final class AccountConfig {
    private AccountConfig() {}

    /** A temporary file, the caller's to delete. */
    public static Path write(LocalCluster cluster, String namespace, String account)
            throws IOException, InterruptedException {
        String token = cluster.kubectl()
                .run("-n", namespace, "create", "token", account)
                .strip();
        String server = cluster.client().getMasterUrl().toString().replaceAll("/$", "");
        String authority = Files.readString(cluster.kubeconfig())
                .replaceAll("(?s).*certificate-authority-data: *\"?([A-Za-z0-9+/=]+).*", "$1");
        Path file = Files.createTempFile("plainsail-", ".kubeconfig");
        Files.writeString(file, """
                apiVersion: v1
                kind: Config
                current-context: test
                clusters: [{name: test, cluster: {server: "%s", certificate-authority-data: "%s"}}]
                users: [{name: test, user: {token: "%s"}}]
                contexts: [{name: test, context: {cluster: test, user: test}}]
                """.formatted(server, authority, token));
        return file;
    }
}
