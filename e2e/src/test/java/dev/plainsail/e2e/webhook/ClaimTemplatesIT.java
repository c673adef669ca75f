package dev.plainsail.e2e.webhook;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.dra.ClaimTemplate;
import dev.plainsail.dra.DeviceClaim;
import dev.plainsail.dra.DeviceClaimText;
import dev.plainsail.dra.ParsedClaim;
import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestNamespaces;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** The claim-template controller against the real API server and claim controller; each test has a namespace of its own. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClaimTemplatesIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final DeviceClaim CLAIM = claim("absent.example.com x2");

    private final LocalCluster cluster;
    private final KubernetesClient client;
    private final Kubectl kubectl;
    private WebhookProcess webhook;

    ClaimTemplatesIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.kubectl = cluster.kubectl();
    }

    @BeforeAll
    void start() throws IOException {
        webhook = WebhookProcess.start(
                        cluster, "--namespace=default", "--lease=claim-templates-test", "--unused-template-life=3s")
                .awaitServing();
    }

    @AfterAll
    void stop() throws IOException {
        webhook.close();
    }

    private static DeviceClaim claim(String text) {
        return ((ParsedClaim.Accepted) DeviceClaimText.parse(text)).claim();
    }

    /** CASES E2E-05: the pod is there before its template. */
    @Test
    void podThatWaitsGetsItsTemplateAndItsClaim() throws Exception {
        TestNamespaces.create(client, "waits");
        pod("waits", "p", CLAIM);
        await().atMost(PATIENCE).until(() -> claimed("waits", "p"));
        ResourceClaimTemplate template = template("waits", CLAIM).orElseThrow();
        assertThat(template.getMetadata().getLabels()).containsEntry("app.kubernetes.io/managed-by", "plainsail");
        assertThat(template.getMetadata().getOwnerReferences()).isEmpty();
        assertThat(template.getSpec().getSpec().getDevices().getRequests())
                .singleElement()
                .satisfies(
                        request -> assertThat(request.getExactly().getCount()).isEqualTo(2));
    }

    @Test
    void templateThatNobodyUsesGoesAndComesBackWithTheNextPod() throws Exception {
        TestNamespaces.create(client, "unused");
        pod("unused", "first", CLAIM);
        await().atMost(PATIENCE).until(() -> template("unused", CLAIM).isPresent());
        String before = template("unused", CLAIM).orElseThrow().getMetadata().getUid();
        Thread.sleep(4000);
        assertThat(template("unused", CLAIM)).as("a used one stays").isPresent();
        kubectl.run("-n", "unused", "delete", "pod", "first", "--force", "--grace-period=0");
        await().atMost(PATIENCE).until(() -> template("unused", CLAIM).isEmpty());
        pod("unused", "second", CLAIM);
        await().atMost(PATIENCE).until(() -> claimed("unused", "second"));
        assertThat(template("unused", CLAIM).orElseThrow().getMetadata().getUid())
                .isNotEqualTo(before);
    }

    @Test
    void deletedTemplateInUseComesBack() throws Exception {
        TestNamespaces.create(client, "deleted");
        pod("deleted", "p", CLAIM);
        await().atMost(PATIENCE).until(() -> claimed("deleted", "p"));
        kubectl.run("-n", "deleted", "delete", "resourceclaimtemplate", CLAIM.templateName());
        await().atMost(PATIENCE).until(() -> template("deleted", CLAIM).isPresent());
    }

    @Test
    void foreignContentUnderOurNameIsLeftAloneAndSaid() throws Exception {
        TestNamespaces.create(client, "foreign");
        String other = ClaimTemplate.manifest(claim("other.example.com"), "foreign")
                .toString()
                .replace(claim("other.example.com").templateName(), CLAIM.templateName());
        create("foreign", other);
        String before = template("foreign", CLAIM).orElseThrow().getMetadata().getResourceVersion();
        // The cluster's own controller makes a claim from it at once, so only a pod without one is told: hold it back.
        create("foreign", """
                {"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},
                 "spec":{"hard":{"count/resourceclaims.resource.k8s.io":"0"}}}
                """);
        await().atMost(PATIENCE)
                .until(() -> kubectl.run("-n", "foreign", "get", "resourcequota", "q", "-o", "jsonpath={.status.hard}")
                        .contains("resourceclaims"));
        pod("foreign", "p", CLAIM);
        await().atMost(PATIENCE).until(() -> events("foreign").contains("ClaimTemplateForeign"));
        assertThat(template("foreign", CLAIM).orElseThrow().getMetadata().getResourceVersion())
                .isEqualTo(before);
    }

    @Test
    void claimThatItsLabelDoesNotNameIsNotMade() throws Exception {
        TestNamespaces.create(client, "lies");
        DeviceClaim more = claim("absent.example.com x8");
        create("lies", podText("p", CLAIM.templateName(), more.canonical()));
        await().atMost(PATIENCE).until(() -> events("lies").contains("ClaimSpecRefused"));
        assertThat(template("lies", CLAIM)).isEmpty();
        assertThat(template("lies", more)).isEmpty();
    }

    @Test
    void refusalOfTheApiServerIsPassedOnInItsWords() throws Exception {
        TestNamespaces.create(client, "refused");
        DeviceClaim bad = claim("absent.example.com where device.driver.noSuchFunction()");
        pod("refused", "p", bad);
        await().atMost(PATIENCE).until(() -> events("refused").contains("ClaimTemplateRefused"));
        assertThat(events("refused")).contains("noSuchFunction");
    }

    @Test
    void quotaIsSaidAndTheTemplateIsMadeWhenItIsRaised() throws Exception {
        TestNamespaces.create(client, "quota");
        create("quota", """
                {"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},
                 "spec":{"hard":{"count/resourceclaimtemplates.resource.k8s.io":"0"}}}
                """);
        await().atMost(PATIENCE)
                .until(() -> kubectl.run("-n", "quota", "get", "resourcequota", "q", "-o", "jsonpath={.status.hard}")
                        .contains("resourceclaimtemplates"));
        pod("quota", "p", CLAIM);
        await().atMost(PATIENCE).until(() -> events("quota").contains("exceeded quota"));
        kubectl.run("-n", "quota", "delete", "resourcequota", "q");
        await().atMost(PATIENCE).until(() -> claimed("quota", "p"));
    }

    @Test
    void namespaceThatEndsIsNotHeldUp() throws Exception {
        TestNamespaces.create(client, "ends");
        pod("ends", "p", CLAIM);
        await().atMost(PATIENCE).until(() -> claimed("ends", "p"));
        kubectl.run("-n", "ends", "delete", "pod", "p", "--force", "--grace-period=0");
        kubectl.run("delete", "namespace", "ends", "--timeout=120s");
        assertThat(client.namespaces().withName("ends").get()).isNull();
    }

    private void create(String namespace, String text) throws Exception {
        Kubectl.Result result = kubectl.tryRun(text, "-n", namespace, "create", "-f", "-");
        assertThat(result.exitCode()).as(result.errors()).isZero();
    }

    /** As it comes out of the webhook. */
    private void pod(String namespace, String name, DeviceClaim claim) throws Exception {
        create(namespace, podText(name, claim.templateName(), claim.canonical()));
    }

    private static String podText(String name, String template, String spec) {
        return """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: %1$s
                  labels: {plainsail.dev/claim-template: %2$s}
                  annotations: {plainsail.dev/claim-spec: '%3$s'}
                spec:
                  terminationGracePeriodSeconds: 0
                  resourceClaims: [{name: plainsail, resourceClaimTemplateName: %2$s}]
                  containers: [{name: a, image: x, command: [sleep, "600"], resources: {claims: [{name: plainsail}]}}]
                """.formatted(name, template, spec);
    }

    private Optional<ResourceClaimTemplate> template(String namespace, DeviceClaim claim) {
        return Optional.ofNullable(client.dynamicResourceAllocation()
                .v1()
                .resourceClaimTemplates()
                .inNamespace(namespace)
                .withName(claim.templateName())
                .get());
    }

    private boolean claimed(String namespace, String pod) {
        var statuses = client.pods()
                .inNamespace(namespace)
                .withName(pod)
                .get()
                .getStatus()
                .getResourceClaimStatuses();
        return statuses != null && statuses.stream().anyMatch(status -> status.getResourceClaimName() != null);
    }

    private String events(String namespace) {
        List<String> lines = client.v1().events().inNamespace(namespace).list().getItems().stream()
                .map(event -> event.getReason() + ": " + event.getMessage())
                .toList();
        return String.join("\n", lines);
    }
}
