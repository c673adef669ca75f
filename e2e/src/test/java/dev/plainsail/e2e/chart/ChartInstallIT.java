package dev.plainsail.e2e.chart;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.node.Image;
import dev.plainsail.e2e.story.Checkout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The chart on a real cluster: two installs, an upgrade, and removal. */
@ExtendWith(SharedCluster.class)
class ChartInstallIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** As long as names of namespaces may be, nearly. */
    private static final String LONG = "plainsail-".repeat(6) + "x";

    private static final String SHORT = "plainsail-b";

    private final LocalCluster cluster;
    private final Kubectl kubectl;

    @TempDir
    private Path folder;

    ChartInstallIT(LocalCluster cluster) {
        this.cluster = cluster;
        this.kubectl = cluster.kubectl();
    }

    /** CASES MAN-05. */
    @Test
    void twoInstallsDoNotMeetAndRemovalOfOneLeavesTheOtherWorking() throws Exception {
        Helm helm = Helm.orSkip(folder);
        addImages();
        try {
            install(helm, "install", LONG);
            install(helm, "install", SHORT);
            awaitAsked(LONG);
            awaitAsked(SHORT);
            install(helm, "upgrade", SHORT, "--set", "webhook.settings.drain=1s");
            awaitAsked(SHORT);
            helm(helm, "uninstall", "plainsail", "--namespace", LONG);
            assertThat(kubectl.run(
                            "get",
                            "clusterroles,clusterrolebindings,mutatingwebhookconfigurations,validatingadmissionpolicies,"
                                    + "validatingadmissionpolicybindings",
                            "-l",
                            "app.kubernetes.io/part-of=plainsail",
                            "-o",
                            "name"))
                    .contains("mutatingwebhookconfiguration.admissionregistration.k8s.io/plainsail-" + SHORT)
                    .doesNotContain(LONG);
            awaitAsked(SHORT);
            kubectl.run("delete", "namespace", LONG, "--timeout=120s");
        } finally {
            helm(helm, "uninstall", "plainsail", "--namespace", LONG, "--ignore-not-found");
            helm(helm, "uninstall", "plainsail", "--namespace", SHORT, "--ignore-not-found");
            kubectl.run("delete", "namespace", LONG, SHORT, "--ignore-not-found", "--timeout=120s");
        }
        assertThat(kubectl.run(
                        "get",
                        "clusterroles,mutatingwebhookconfigurations,validatingadmissionpolicies",
                        "-l",
                        "app.kubernetes.io/part-of=plainsail",
                        "-o",
                        "name"))
                .isBlank();
        // Nothing stands in the way of an annotated workload, or of anybody else, once the API server has noticed.
        await().until(() ->
                kubectl.tryRun(pod("{plainsail.dev/devices: gpu.nvidia.com}"), "create", "--dry-run=server", "-f", "-")
                                .exitCode()
                        == 0);
    }

    private void addImages() {
        Path programs = Checkout.find().programs("webhook");
        cluster.podRunner()
                .addImage(new Image(
                        "ghcr.io/plainsail/webhook:*",
                        programs,
                        List.of(),
                        List.of(),
                        Map.of("JAVA_HOME", System.getProperty("java.home"))));
    }

    private void install(Helm helm, String verb, String namespace, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                verb,
                "plainsail",
                Helm.chart().toString(),
                "--namespace",
                namespace,
                "--set",
                "webhook.replicas=1,epp.replicas=0"));
        if (verb.equals("install")) {
            arguments.add("--create-namespace");
        }
        arguments.addAll(List.of(more));
        String said = helm(helm, arguments.toArray(String[]::new));
        assertThat(said).contains("kubectl annotate deployment NAME plainsail.dev/devices=gpu.nvidia.com");
    }

    private String helm(Helm helm, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--kubeconfig", cluster.kubeconfig().toString()));
        Rendered.Said said = helm.run(all);
        assertThat(said.exitCode()).as(said.errors()).isZero();
        return said.output();
    }

    /** Ready, rolled out, and trusted by the API server under its own configuration. */
    private void awaitAsked(String namespace) throws Exception {
        kubectl.run("-n", namespace, "rollout", "status", "deployment/plainsail-webhook", "--timeout=120s");
        await("the webhook of " + namespace + " to be trusted")
                .atMost(PATIENCE)
                .until(() -> cluster
                        .client()
                        .admissionRegistration()
                        .v1()
                        .mutatingWebhookConfigurations()
                        .withName("plainsail-" + namespace)
                        .get()
                        .getWebhooks()
                        .stream()
                        .allMatch(hook -> hook.getClientConfig().getCaBundle() != null));
        await("an annotated pod to be given its plan")
                .atMost(PATIENCE)
                .until(() -> kubectl.tryRun(
                                pod("{plainsail.dev/devices: gpu.nvidia.com}"),
                                "create",
                                "--dry-run=server",
                                "-o",
                                "yaml",
                                "-f",
                                "-")
                        .output()
                        .contains("plainsail.dev/plan"));
    }

    private static String pod(String annotations) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: probe, namespace: default, annotations: %s}
                spec: {containers: [{name: a, image: x, command: [sleep, "1"]}]}
                """.formatted(annotations);
    }
}
