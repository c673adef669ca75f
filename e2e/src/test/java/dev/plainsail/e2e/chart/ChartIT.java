package dev.plainsail.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cache.Cache;
import dev.plainsail.e2e.cache.Progress;
import dev.plainsail.e2e.cluster.KubernetesBinaries;
import dev.plainsail.e2e.story.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What the chart renders: the kustomizations' own objects, and what values make of them. */
class ChartIT {
    private static final List<String> CERTIFICATE_MODES_OF_OUR_OWN = List.of("certManager=false", "certManager=true");

    @TempDir
    private Path folder;

    private Helm helm;

    @BeforeEach
    void find() {
        helm = Helm.orSkip(folder);
    }

    private static Map<String, JsonNode> kustomized(String... kustomizations) throws Exception {
        Path kubectl = new KubernetesBinaries(Cache.of(System.getenv(), Progress.console()), System.getenv())
                .folder()
                .resolve("kubectl");
        Map<String, JsonNode> all = new TreeMap<>();
        for (String each : kustomizations) {
            Rendered.Said said = Rendered.run(
                    kubectl,
                    List.of("kustomize", Checkout.find().manifests(each).toString()),
                    Map.of());
            assertThat(said.exitCode()).as(said.errors()).isZero();
            all.putAll(Rendered.objects(said.output()));
        }
        return all;
    }

    private static void assertSame(Map<String, JsonNode> chart, Map<String, JsonNode> kustomization) {
        assertThat(chart.keySet()).isEqualTo(kustomization.keySet());
        kustomization.forEach(
                (name, object) -> assertThat(chart.get(name)).as(name).isEqualTo(object));
    }

    @Test
    void defaultsAreTheBase() throws Exception {
        Map<String, JsonNode> base = kustomized("base");
        assertSame(helm.objects("--set", "namespace.create=true"), base);
        assertThat(base.remove("Namespace plainsail-system")).isNotNull();
        assertSame(helm.objects(), base);
    }

    @Test
    void certManagerIsTheOverlay() throws Exception {
        assertSame(
                helm.objects("--set", "namespace.create=true,certManager=true"), kustomized("overlays/cert-manager"));
    }

    @Test
    void envoyIsTheStandaloneEnvoyBesideTheBase() throws Exception {
        assertSame(
                helm.objects("--set", "namespace.create=true,envoy.enabled=true"),
                kustomized("base", "envoy/standalone"));
    }

    @Test
    void everyValueArrives() throws Exception {
        Path values = folder.resolve("values.yaml");
        Files.writeString(values, VALUES);
        Map<String, JsonNode> objects = helm.objects("-f", values.toString());
        JsonNode webhook = objects.get("Deployment plainsail-webhook").get("spec");
        JsonNode pod = webhook.get("template").get("spec");
        JsonNode container = pod.get("containers").get(0);
        assertThat(webhook.get("replicas").asInt()).isEqualTo(3);
        assertThat(container.get("image").asString()).isEqualTo("registry.example.com:5000/plainsail/webhook:1.10");
        assertThat(container.get("imagePullPolicy").asString()).isEqualTo("Always");
        assertThat(container.at("/resources/limits/memory").asString()).isEqualTo("1Gi");
        assertThat(container.get("args").toString())
                .isEqualTo("[\"--config=/etc/plainsail/webhook.yaml\","
                        + "\"--certificate-file=/etc/plainsail-tls/tls.crt\","
                        + "\"--key-file=/etc/plainsail-tls/tls.key\",\"--drain=9s\"]");
        assertThat(pod.get("imagePullSecrets").toString()).isEqualTo("[{\"name\":\"pull\"}]");
        assertThat(pod.at("/nodeSelector/pool").asString()).isEqualTo("system");
        assertThat(pod.at("/tolerations/0/operator").asString()).isEqualTo("Exists");
        assertThat(pod.at("/affinity/nodeAffinity").isObject()).isTrue();
        assertThat(pod.get("volumes").toString()).contains("\"secretName\":\"mine\"");
        assertThat(webhook.at("/template/metadata/labels").toString())
                .contains("\"team\":\"serving\"", "\"app.kubernetes.io/name\":\"plainsail-webhook\"", "\"x\":\"y\"");
        assertThat(webhook.at("/template/metadata/annotations/a").asString()).isEqualTo("b");
        assertThat(webhook.at("/selector/matchLabels").toString())
                .as("never changes")
                .isEqualTo("{\"app.kubernetes.io/name\":\"plainsail-webhook\"}");
        assertThat(objects.get("ConfigMap plainsail-webhook-settings")
                        .at("/data/webhook.yaml/drain")
                        .asString())
                .isEqualTo("7s");
        assertThat(objects.get("ConfigMap plainsail-epp-settings")
                        .at("/data/epp.yaml/kind")
                        .asString())
                .isEqualTo("EndpointPickerConfig");
        JsonNode hooks = objects.get("MutatingWebhookConfiguration plainsail").get("webhooks");
        assertThat(hooks.at("/0/failurePolicy").asString()).isEqualTo("Ignore");
        assertThat(hooks.at("/0/timeoutSeconds").asInt()).isEqualTo(9);
        assertThat(hooks.at("/1/timeoutSeconds").asInt())
                .as("observe keeps its own")
                .isEqualTo(2);
        hooks.forEach(hook -> {
            assertThat(hook.at("/clientConfig/caBundle").asString()).isEqualTo("Q0E=");
            assertThat(hook.get("namespaceSelector").toString())
                    .contains("\"llm\":\"yes\"", "\"tenant\"", "kube-system");
        });
        assertThat(objects.get("ValidatingAdmissionPolicy plainsail-asked").toString())
                .contains("\"llm\":\"yes\"");
        assertThat(objects.get("Deployment plainsail-epp")
                        .at("/spec/template/spec/containers/0/args")
                        .toString())
                .contains("\"--pool=name=chat,selector=app=vllm,port=8000\"", "\"--v=2\"");
        assertThat(objects.get("Service plainsail-envoy").at("/spec/type").asString())
                .isEqualTo("LoadBalancer");
        assertThat(objects.keySet())
                .noneMatch(name -> name.startsWith("NetworkPolicy"))
                .noneMatch(name -> name.contains("plainsail-webhook-authority"));
        objects.values()
                .forEach(object -> assertThat(object.at("/metadata/labels/team").asString())
                        .isEqualTo("serving"));
    }

    /** CASES CRT-07. */
    @Test
    void renderedTwiceIsTheSameAndCarriesNoKeyAndNoAuthority() throws Exception {
        for (String values : CERTIFICATE_MODES_OF_OUR_OWN) {
            String first = helm.template("--set", values).output();
            assertThat(helm.template("--set", values).output()).as(values).isEqualTo(first);
            assertCarriesNoCertificate(Rendered.objects(first));
        }
        for (String overlay : List.of("base", "overlays/cert-manager")) {
            Map<String, JsonNode> objects = kustomized(overlay);
            assertThat(kustomized(overlay)).as(overlay).isEqualTo(objects);
            assertCarriesNoCertificate(objects);
        }
    }

    private static void assertCarriesNoCertificate(Map<String, JsonNode> objects) {
        assertThat(objects).containsKey("MutatingWebhookConfiguration plainsail");
        assertThat(objects.keySet()).noneMatch(name -> name.startsWith("Secret "));
        assertThat(objects.toString()).doesNotContain("caBundle\":", "-----BEGIN");
    }

    /** CASES CRT-11. */
    @Test
    void podsWaitForNoSecretThatNobodyMakes() throws Exception {
        assertThat(mounted(kustomized("base"))).isEmpty();
        assertThat(mounted(helm.objects())).isEmpty();
        for (Map<String, JsonNode> objects :
                List.of(kustomized("overlays/cert-manager"), helm.objects("--set", "certManager=true"))) {
            assertThat(mounted(objects)).containsExactly("plainsail-webhook-tls");
            assertThat(objects.get("Certificate plainsail-webhook")
                            .at("/spec/secretName")
                            .asString())
                    .isEqualTo("plainsail-webhook-tls");
        }
        assertThat(mounted(helm.objects("--set", "webhook.tls.secretName=mine,webhook.tls.caBundle=Q0E=")))
                .containsExactly("mine");
    }

    private static Set<String> mounted(Map<String, JsonNode> objects) {
        Set<String> names = new TreeSet<>();
        objects.forEach((name, object) -> {
            if (name.startsWith("Deployment ")) {
                object.findValues("secretName").forEach(secret -> names.add(secret.asString()));
                object.findValues("secretRef")
                        .forEach(secret -> names.add(secret.path("name").asString()));
                object.findValues("secretKeyRef")
                        .forEach(secret -> names.add(secret.path("name").asString()));
            }
        });
        return names;
    }

    private static final String VALUES = """
            extraLabels: {team: serving}
            imagePullSecrets: [{name: pull}]
            networkPolicy: false
            webhook:
              replicas: 3
              image: {registry: "registry.example.com:5000", tag: "1.10", pullPolicy: Always}
              resources: {limits: {memory: 1Gi}}
              nodeSelector: {pool: system}
              tolerations: [{operator: Exists}]
              affinity: {nodeAffinity: {}}
              podLabels: {x: "y", app.kubernetes.io/name: "not mine to change"}
              podAnnotations: {a: b}
              settings: {drain: 7s}
              extraArgs: [--drain=9s]
              failurePolicy: Ignore
              timeoutSeconds: 9
              namespaceSelector:
                matchLabels: {llm: "yes"}
                matchExpressions: [{key: tenant, operator: Exists}]
              tls: {secretName: mine, caBundle: Q0E=}
            epp:
              pools: [{name: chat, selector: app=vllm, port: 8000}]
              config: {apiVersion: llm-d.ai/v1alpha1, kind: EndpointPickerConfig}
              extraArgs: [--v=2]
            envoy: {enabled: true, serviceType: LoadBalancer}
            """;

    @Test
    void changedSettingsReplaceThePodsThatReadThemAndNoOthers() throws Exception {
        String before = helm.template().output();
        String after =
                helm.template("--set", "epp.config.kind=EndpointPickerConfig").output();
        assertThat(checksums(before)).hasSize(2);
        assertThat(checksums(after)).hasSize(2);
        Set<String> both = new TreeSet<>(checksums(before));
        both.retainAll(checksums(after));
        assertThat(both).as("the webhook's").hasSize(1);
    }

    private static Set<String> checksums(String text) {
        return new TreeSet<>(
                text.lines().filter(line -> line.contains("checksum/settings")).toList());
    }

    @Test
    void otherNamespaceGetsNamesOfItsOwnForWhatHasNoNamespace() throws Exception {
        String namespace = "n".repeat(60);
        Map<String, JsonNode> objects = helm.objects("--namespace", namespace);
        objects.forEach((name, object) -> {
            if (object.at("/metadata/namespace").isMissingNode()) {
                assertThat(name).endsWith("-" + namespace);
            }
            assertThat(object.toString()).doesNotContain("plainsail-system");
        });
        assertThat(objects.get("Deployment plainsail-webhook").toString())
                .contains("--configuration=plainsail-" + namespace);
        assertThat(objects.get("ClusterRole plainsail-webhook-authority-" + namespace)
                        .toString())
                .contains("\"resourceNames\":[\"plainsail-" + namespace + "\"]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "webhook.replica=3|'/webhook': additional properties 'replica' not allowed",
                "webhook.replicas=many|'/webhook/replicas': got string, want integer",
                "webhook.failurePolicy=Maybe|value must be one of 'Fail', 'Ignore'",
                "webhook.timeoutSeconds=31|'/webhook/timeoutSeconds': maximum: got 31, want 30",
                "epp.pools[0].name=x|'/epp/pools/0': missing properties 'selector', 'port'",
                "certManager=yes|'/certManager': got string, want boolean",
                "webhook.tls.secretName=a|webhook.tls.secretName needs webhook.tls.caBundle",
                "webhook.tls.caBundle=Q0E=|webhook.tls.caBundle needs webhook.tls.secretName",
                "certManager=true,webhook.tls.secretName=a|two sources of one certificate",
            },
            quoteCharacter = '"')
    void badValueIsRefusedByName(String value, String message) throws Exception {
        Rendered.Said said = helm.template("--set", value);
        assertThat(said.exitCode()).isNotZero();
        assertThat(said.errors()).contains(message);
    }

    @Test
    void defaultNamespaceIsRefusedBecauseItsPodsWouldBeLeftAlone() throws Exception {
        assertThat(helm.template("--namespace", "default").errors())
                .contains("install it with --namespace plainsail-system --create-namespace");
    }

    @Test
    void packagedChartCarriesItsFilesAndRendersTheSame() throws Exception {
        Rendered.Said packed =
                helm.run(List.of("package", Helm.chart().toString(), "--destination", folder.toString()));
        assertThat(packed.exitCode()).as(packed.errors()).isZero();
        Rendered.Said said = helm.run(List.of(
                "template",
                "plainsail",
                folder.resolve("plainsail-0.1.0.tgz").toString(),
                "--namespace",
                "plainsail-system"));
        assertThat(said.exitCode()).as(said.errors()).isZero();
        assertSame(Rendered.objects(said.output()), helm.objects());
        assertThat(said.errors()).doesNotContain("symbolic link");
    }

    @Test
    void readmeNamesEveryValue() throws IOException {
        JsonNode values = Rendered.YAML.readTree(Files.readString(Helm.chart().resolve("values.yaml")));
        String readme = Files.readString(Helm.chart().resolve("README.md"));
        Set<String> missing = new TreeSet<>();
        leaves("", values).forEach(path -> {
            String ofAny =
                    path.replaceFirst("^(webhook|epp|envoy)\\.", "").replaceFirst("^resources\\..*", "resources");
            if (!readme.contains("`" + path + "`") && !readme.contains("`" + ofAny + "`")) {
                missing.add(path);
            }
        });
        assertThat(missing).isEmpty();
    }

    private static Set<String> leaves(String prefix, JsonNode node) {
        Set<String> all = new TreeSet<>();
        node.properties().forEach(entry -> {
            String path = prefix.isEmpty() ? entry.getKey() : prefix + "." + entry.getKey();
            if (entry.getValue().isObject() && !entry.getValue().isEmpty()) {
                all.addAll(leaves(path, entry.getValue()));
            } else {
                all.add(path);
            }
        });
        return all;
    }
}
