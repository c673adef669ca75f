package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is said where people look, and what one namespace's missing permission does to the others. */
@ExtendWith(SharedCluster.class)
class TemplateEventsIT {
    private static final String BAD = "absent.example.com where device.driver.noSuchFunction()";

    private final LocalCluster cluster;

    TemplateEventsIT(LocalCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void refusalIsSaidOnTheDeploymentAndTheCronJobAndOnThePods() throws Exception {
        ClaimPods pods = ClaimPods.in(cluster, "events");
        try (WebhookProcess webhook =
                WebhookProcess.start(cluster, "--namespace=events").awaitServing()) {
            pods.create("""
                    apiVersion: apps/v1
                    kind: Deployment
                    metadata: {name: web}
                    spec:
                      replicas: 3
                      selector: {matchLabels: {app: a}}
                      template:
                    """ + ClaimPods.template(BAD).indent(4));
            pods.create("""
                    apiVersion: batch/v1
                    kind: CronJob
                    metadata: {name: nightly}
                    spec:
                      schedule: "0 0 1 1 *"
                      jobTemplate:
                        spec:
                          template:
                    """
                    + ClaimPods.template(BAD)
                            .replace("spec:\n", "spec:\n  restartPolicy: Never\n")
                            .indent(8));
            cluster.kubectl().run("-n", "events", "create", "job", "now", "--from=cronjob/nightly");
            await().atMost(ClaimPods.PATIENCE).untilAsserted(() -> {
                assertThat(pods.events().lines())
                        .filteredOn(line -> line.startsWith("Pod "))
                        .hasSize(4);
                assertThat(pods.events().lines())
                        .filteredOn(line -> line.startsWith("Deployment "))
                        .hasSize(1);
                assertThat(pods.events().lines())
                        .filteredOn(line -> line.startsWith("CronJob "))
                        .hasSize(1);
            });
            assertThat(pods.events())
                    .contains("Deployment ClaimTemplateRefused: ")
                    .contains("noSuchFunction")
                    .doesNotContain("ReplicaSet ");
            assertThat(webhook.log(pods.namespace())).doesNotContain("a template failed");
            assertThat(cluster.kubectl().run("-n", "events", "describe", "deployment", "web"))
                    .contains("ClaimTemplateRefused");
        } finally {
            cluster.kubectl().run("delete", "namespace", "events", "--wait=false");
        }
    }

    /** CASES MAN-03. */
    @Test
    void missingPermissionInOneNamespaceIsThatNamespacesTroubleUntilItIsGranted() throws Exception {
        ClaimPods allowed = ClaimPods.in(cluster, "rbac-allowed");
        ClaimPods forbidden = ClaimPods.in(cluster, "rbac-forbidden");
        allowed.create(ROLES);
        grant("rbac-allowed");
        Path kubeconfig = AccountConfig.write(cluster, "rbac-allowed", "webhook");
        try (WebhookProcess webhook =
                WebhookProcess.start(kubeconfig, "--namespace=rbac-allowed").awaitServing()) {
            forbidden.pod("p", "absent.example.com x1");
            allowed.pod("p", "absent.example.com x1");
            allowed.awaitClaimed("p");
            await().atMost(ClaimPods.PATIENCE).until(() -> forbidden.events().contains("Pod ClaimTemplateRefused: "));
            assertThat(forbidden.events())
                    .contains("cannot create resource \"resourceclaimtemplates\"")
                    .contains("in the namespace \"rbac-forbidden\"");
            assertThat(forbidden.templates()).isEmpty();
            allowed.pod("later", "absent.example.com x2");
            allowed.awaitClaimed("later");
            grant("rbac-forbidden");
            forbidden.awaitClaimed("p");
            for (ClaimPods each : List.of(allowed, forbidden)) {
                assertThat(webhook.log(each.namespace())).doesNotContain("a template failed");
            }
        } finally {
            Files.deleteIfExists(kubeconfig);
            cluster.kubectl().run("delete", "clusterrole,clusterrolebinding", "-l", "test=rbac");
            cluster.kubectl().run("delete", "namespace", "rbac-allowed", "rbac-forbidden", "--wait=false");
        }
    }

    /** As the shipped role, but that the right to make templates is granted in one namespace after another. */
    private static final String ROLES = """
            {apiVersion: v1, kind: ServiceAccount, metadata: {name: webhook}}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: rbac-test-reads, labels: {test: rbac}}
            rules:
            - apiGroups: [resource.k8s.io]
              resources: [deviceclasses, resourceslices, resourceclaims, resourceclaimtemplates]
              verbs: [list, watch]
            - {apiGroups: [""], resources: [resourcequotas, pods], verbs: [list, watch]}
            - {apiGroups: [events.k8s.io], resources: [events], verbs: [create]}
            - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}
            - {apiGroups: [""], resources: [secrets], verbs: [get, create, update]}
            - {apiGroups: [admissionregistration.k8s.io], resources: [mutatingwebhookconfigurations], verbs: [get, patch]}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: rbac-test-writes, labels: {test: rbac}}
            rules:
            - {apiGroups: [resource.k8s.io], resources: [resourceclaimtemplates], verbs: [get, create, patch, delete]}
            - {apiGroups: [""], resources: [pods/status], verbs: [patch]}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRoleBinding
            metadata: {name: rbac-test-reads, labels: {test: rbac}}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: rbac-test-reads}
            subjects: [{kind: ServiceAccount, name: webhook, namespace: rbac-allowed}]
            """;

    private void grant(String namespace) throws Exception {
        cluster.kubectl()
                .run(
                        "-n",
                        namespace,
                        "create",
                        "rolebinding",
                        "writes",
                        "--clusterrole=rbac-test-writes",
                        "--serviceaccount=rbac-allowed:webhook");
    }
}
