package dev.plainsail.e2e.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.ParsedClaim;
import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two replicas, of which one writes: what the other does when the first is killed, and when it stops in order. */
@ExtendWith(SharedCluster.class)
class LeaderIT {
    /** The promise, and the time that a loaded machine may add to it. */
    private static final Duration TAKEOVER = Duration.ofSeconds(15);

    private static final Duration SLACK = Duration.ofSeconds(10);
    private static final String NAMESPACE = "leaders";

    private final LocalCluster cluster;
    private final Kubectl kubectl;

    LeaderIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.kubectl = cluster.kubectl();
    }

    private WebhookProcess replica() throws IOException {
        return WebhookProcess.start(cluster, "--namespace=" + NAMESPACE, "--lease=leader-test");
    }

    @Test
    void secondReplicaTakesOverAfterAKillAndAtOnceAfterAStop() throws Exception {
        kubectl.run("create", "namespace", NAMESPACE);
        try (WebhookProcess first = replica().awaitServing();
                WebhookProcess second = replica().awaitServing()) {
            assertThat(first.log()).contains("LeaderLease: leading");
            assertThat(second.log()).doesNotContain("LeaderLease: leading");
            assertThat(serial(second)).as("one certificate for both").isEqualTo(serial(first));
            first.kill();
            pod("killed", "absent.example.com x3");
            long start = System.nanoTime();
            await().atMost(TAKEOVER.plus(SLACK)).until(() -> claimed("killed"));
            System.out.printf("takeover after kill -9: %.1f s%n", (System.nanoTime() - start) / 1e9);
            try (WebhookProcess third = replica().awaitServing()) {
                second.stop();
                pod("stopped", "absent.example.com x4");
                start = System.nanoTime();
                await().atMost(Duration.ofSeconds(5).plus(SLACK)).until(() -> claimed("stopped"));
                System.out.printf("takeover after a stop: %.1f s%n", (System.nanoTime() - start) / 1e9);
                assertThat(third.log()).contains("LeaderLease: leading");
            }
        } finally {
            kubectl.run("delete", "namespace", NAMESPACE, "--wait=false");
        }
    }

    private static String serial(WebhookProcess replica) throws IOException {
        return replica.log()
                .lines()
                .filter(line -> line.contains("serving a certificate"))
                .findFirst()
                .orElseThrow()
                .replaceAll(".*serial=\"([0-9a-f]+)\".*", "$1");
    }

    private void pod(String name, String claimText) throws Exception {
        DeviceClaim claim = ((ParsedClaim.Accepted) DeviceClaimText.parse(claimText)).claim();
        Kubectl.Result result = kubectl.tryRun(
                """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                  labels: {plainsail.dev/claim-template: %2$s}
                  annotations: {plainsail.dev/claim-spec: '%3$s'}
                spec:
                  resourceClaims: [{name: plainsail, resourceClaimTemplateName: %2$s}]
                  containers: [{name: a, image: x, command: [sleep, "9"], resources: {claims: [{name: plainsail}]}}]
                """.formatted(name, claim.templateName(), claim.canonical()), "-n", NAMESPACE, "create", "-f", "-");
        assertThat(result.exitCode()).as(result.errors()).isZero();
    }

    private boolean claimed(String pod) {
        var statuses = cluster.client()
                .pods()
                .inNamespace(NAMESPACE)
                .withName(pod)
                .get()
                .getStatus()
                .getResourceClaimStatuses();
        return statuses != null && !statuses.isEmpty();
    }
}
