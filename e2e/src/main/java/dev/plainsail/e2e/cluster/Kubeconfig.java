package dev.plainsail.e2e.cluster;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The text of a kubeconfig file with everything inside. */
record Kubeconfig(String server, String authorityPem) {

    String of(Pki.Pair client) {
        return text("client-certificate-data: " + base64(client.certificatePem()) + ", client-key-data: "
                + base64(client.keyPem()));
    }

    private String text(String user) {
        return """
                apiVersion: v1
                kind: Config
                clusters: [{name: plainsail, cluster: {server: "%s", certificate-authority-data: %s}}]
                users: [{name: user, user: {%s}}]
                contexts: [{name: plainsail, context: {cluster: plainsail, user: user}}]
                current-context: plainsail
                """.formatted(server, base64(authorityPem), user);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
