package dev.plainsail.e2e.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A pod's own identity: tokens of its ServiceAccount, bound to the pod, so that RBAC is what it is in a cluster. */
final class PodAccess implements PodVolumes.Tokens {

    private static final long TOKEN_SECONDS = 24 * 3600;

    private final Pod pod;
    private final NodeContext context;
    private final Map<String, String> tokens = new HashMap<>();
    private Instant takenAt = Instant.MIN;

    PodAccess(Pod pod, NodeContext context) {
        this.pod = pod;
        this.context = context;
    }

    /** Kept for half its life; the pod's thread only. */
    @Override
    public String token(@Nullable String audience) {
        Instant now = context.clock().instant();
        if (takenAt.isBefore(now.minusSeconds(TOKEN_SECONDS / 2))) {
            tokens.clear();
            takenAt = now;
        }
        return tokens.computeIfAbsent(audience == null ? "" : audience, this::request);
    }

    private String request(String audience) {
        TokenRequestBuilder request = new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(TOKEN_SECONDS)
                .withNewBoundObjectRef()
                .withApiVersion("v1")
                .withKind("Pod")
                .withName(pod.getMetadata().getName())
                .withUid(pod.getMetadata().getUid())
                .endBoundObjectRef()
                .endSpec();
        if (!audience.isEmpty()) {
            request.editSpec().withAudiences(audience).endSpec();
        }
        TokenRequest answer = context.client()
                .serviceAccounts()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(account())
                .tokenRequest(request.build());
        return answer.getStatus().getToken();
    }

    private String account() {
        String name = pod.getSpec().getServiceAccountName();
        return name == null || name.isEmpty() ? "default" : name;
    }

    /** Whether the API server mounted the account's token into the pod; a pod that declined it gets no kubeconfig. */
    boolean isWanted() {
        return pod.getSpec().getVolumes().stream()
                .filter(volume -> volume.getProjected() != null)
                .flatMap(volume -> volume.getProjected().getSources().stream())
                .anyMatch(source -> source.getServiceAccountToken() != null);
    }

    /** Writes the kubeconfig of the pod's account; the pod's namespace is the default one. */
    void writeKubeconfig(Path file) throws IOException {
        String text = """
                apiVersion: v1
                kind: Config
                clusters: [{name: plainsail, cluster: {server: "%s", certificate-authority-data: %s}}]
                users: [{name: account, user: {token: %s}}]
                contexts: [{name: plainsail, context: {cluster: plainsail, user: account, namespace: %s}}]
                current-context: plainsail
                """.formatted(
                context.apiServer(),
                Base64.getEncoder().encodeToString(context.authorityPem().getBytes(StandardCharsets.UTF_8)),
                token(null),
                pod.getMetadata().getNamespace());
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }
}
