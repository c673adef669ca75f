package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.ParsedClaim;
import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.TestNamespaces;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;

/** Pods as they come out of the webhook, in one namespace, and what became of them and of their templates. */
record ClaimPods(LocalCluster cluster, String namespace) {
    static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Makes the namespace and waits until pods can be made in it. */
    static ClaimPods in(LocalCluster cluster, String namespace) {
        TestNamespaces.create(cluster.client(), namespace);
        return new ClaimPods(cluster, namespace);
    }

    static DeviceClaim claim(String text) {
        return ((ParsedClaim.Accepted) DeviceClaimText.parse(text)).claim();
    }

    void create(String manifest) throws Exception {
        Kubectl.Result result = cluster.kubectl().tryRun(manifest, "-n", namespace, "create", "-f", "-");
        assertThat(result.exitCode()).as(result.errors()).isZero();
    }

    void pod(String name, String claimText) throws Exception {
        create("apiVersion: v1\nkind: Pod\n"
                + template(claimText).replace("metadata: {", "metadata: {name: " + name + ", "));
    }

    /** {@code metadata} and {@code spec} of a pod, to stand in a workload's template too when indented. */
    static String template(String claimText) {
        DeviceClaim claim = claim(claimText);
        return """
                metadata: {labels: {app: a, plainsail.dev/claim-template: %1$s}, annotations: {plainsail.dev/claim-spec: '%2$s'}}
                spec:
                  terminationGracePeriodSeconds: 0
                  resourceClaims: [{name: plainsail, resourceClaimTemplateName: %1$s}]
                  containers: [{name: a, image: x, command: [sleep, "600"], resources: {claims: [{name: plainsail}]}}]
                """.formatted(claim.templateName(), claim.canonical());
    }

    void awaitClaimed(String... pods) {
        for (String pod : pods) {
            await(pod + " to have its claim").atMost(PATIENCE).until(() -> isClaimed(pod));
        }
    }

    boolean isClaimed(String name) {
        Pod pod = cluster.client().pods().inNamespace(namespace).withName(name).get();
        var statuses = pod.getStatus().getResourceClaimStatuses();
        return statuses != null && statuses.stream().anyMatch(status -> status.getResourceClaimName() != null);
    }

    List<String> templates() {
        return cluster
                .client()
                .dynamicResourceAllocation()
                .v1()
                .resourceClaimTemplates()
                .inNamespace(namespace)
                .list()
                .getItems()
                .stream()
                .map(template -> template.getMetadata().getName())
                .toList();
    }

    /** {@code Kind reason: note}, one a line. */
    String events() {
        return String.join(
                "\n",
                cluster.client().events().v1().events().inNamespace(namespace).list().getItems().stream()
                        .filter(event -> "plainsail.dev/webhook".equals(event.getReportingController()))
                        .map(event -> event.getRegarding().getKind() + " " + event.getReason() + ": " + event.getNote())
                        .toList());
    }
}
