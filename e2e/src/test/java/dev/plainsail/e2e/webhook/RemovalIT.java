package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.story.Checkout;
import dev.plainsail.e2e.story.Installation;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Removal word for word as {@code manifests/README.md} says it: what runs goes on, what starts starts, nothing is left or hangs. */
@ExtendWith(SharedCluster.class)
class RemovalIT {
    private final LocalCluster cluster;
    private final Kubectl kubectl;

    RemovalIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.kubectl = cluster.kubectl();
    }

    @Test
    void commandsOfTheReadmeLeaveNothingBehindAndNothingWaiting() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "removal");
        try (Installation installation = Installation.webhookOnly(cluster, Checkout.find())) {
            assertThat(installation.log("plainsail-webhook")).contains("serving");
            pods.create("""
                    apiVersion: apps/v1
                    kind: Deployment
                    metadata: {name: web, annotations: {plainsail.dev/devices: gpu.nvidia.com}}
                    spec:
                      replicas: 1
                      selector: {matchLabels: {app: web}}
                      template:
                        metadata: {labels: {app: web}}
                        spec:
                          terminationGracePeriodSeconds: 0
                          containers: [{name: a, image: x, command: [sleep, "600"]}]
                    """);
            kubectl.run("-n", "removal", "rollout", "status", "deployment/web", "--timeout=120s");
            assertThat(pods.templates()).hasSize(1);
            String running = names();
            for (List<String> command : commands()) {
                kubectl.run(command.toArray(String[]::new));
            }
            assertThat(kubectl.run(
                            "get",
                            "namespaces,clusterroles,clusterrolebindings,mutatingwebhookconfigurations,"
                                    + "validatingadmissionpolicies,validatingadmissionpolicybindings",
                            "-l",
                            "app.kubernetes.io/part-of=plainsail",
                            "-o",
                            "name"))
                    .isBlank();
            assertThat(pods.templates()).isEmpty();
            assertThat(names()).as("what ran still runs").isEqualTo(running);
            assertThat(kubectl.run("-n", "removal", "get", "resourceclaims", "-o", "name"))
                    .as("and keeps its device")
                    .isNotBlank();
            kubectl.run("-n", "removal", "scale", "deployment/web", "--replicas=2");
            await("a new pod, without anybody to ask")
                    .atMost(ClaimPods.PATIENCE)
                    .until(() -> names().lines().count() == 2);
            kubectl.run("delete", "namespace", "removal", "--timeout=120s");
        } finally {
            kubectl.run("delete", "namespace", "removal", "--ignore-not-found", "--wait=false");
        }
    }

    private String names() throws Exception {
        return kubectl.run("-n", "removal", "get", "pods", "-l", "app=web", "-o", "name");
    }

    /** The block below "Remove, in this order", without the word kubectl and without comments. */
    private static List<List<String>> commands() throws IOException {
        String readme = Files.readString(Checkout.find().manifests("README.md"));
        String from = readme.substring(readme.indexOf("Remove, in this order"));
        String block = from.split("```")[1];
        List<List<String>> commands = block.lines()
                .filter(line -> line.startsWith("kubectl "))
                .map(line -> List.of(line.replaceAll(" +#.*", "")
                        .replace("manifests/", Checkout.find().manifests("") + "/")
                        .replaceFirst("kubectl +", "")
                        .split(" +")))
                .toList();
        assertThat(commands).hasSize(4);
        return commands;
    }
}
