package dev.plainsail.e2e.cluster;

import static dev.plainsail.certs.Waiting.await;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Services without kube-proxy: from the API server, from the host, and from pods. */
@ExtendWith(SharedCluster.class)
final class ServicesIT {

    @Test
    void aWebhookBehindAServiceIsCalled(TestSpace space) throws Exception {
        Pki pki = new Pki("webhook-ca", Instant.now());
        Pki.Pair pair = pki.issue("CN=hook", List.of("hook." + space.namespace() + ".svc"));
        String store = Base64.getEncoder().encodeToString(TestServer.keyStore(pair, pki.authority()));
        space.apply("""
                apiVersion: v1
                kind: Secret
                metadata: {name: hook}
                data: {keys.p12: %s}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: hook}
                spec: {selector: {app: hook}, ports: [{port: 443, targetPort: https}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: hook, labels: {app: hook}}
                spec:
                  terminationGracePeriodSeconds: 1
                  containers:
                  - name: hook
                    image: test.invalid/server:1
                    args: [webhook, "9443", /keys/keys.p12]
                    ports: [{name: https, containerPort: 9443}]
                    readinessProbe: {tcpSocket: {port: https}, periodSeconds: 1}
                    volumeMounts: [{name: keys, mountPath: /keys}]
                  volumes: [{name: keys, secret: {secretName: hook}}]
                """.formatted(store));
        space.awaitPod("hook", TestSpace::isReady);
        space.apply("""
                apiVersion: admissionregistration.k8s.io/v1
                kind: MutatingWebhookConfiguration
                metadata: {name: services-it}
                webhooks:
                - name: services.it.plainsail.dev
                  admissionReviewVersions: [v1]
                  sideEffects: None
                  failurePolicy: Fail
                  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: NAMESPACE}}
                  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
                  clientConfig: {service: {name: hook, namespace: NAMESPACE, path: /}, caBundle: BUNDLE}
                """.replace("NAMESPACE", space.namespace()).replace(
                "BUNDLE",
                Base64.getEncoder()
                        .encodeToString(pki.authority().certificatePem().getBytes(StandardCharsets.UTF_8))));
        try {
            await().atMost(TestSpace.PATIENCE).until(() -> {
                space.kubectlWith("", "delete", "configmap", "seen", "-n", space.namespace());
                space.kubectl("create", "configmap", "seen", "-n", space.namespace());
                return space.kubectl("get", "configmap", "seen", "-n", space.namespace(), "--show-labels")
                        .contains("from=webhook");
            });
        } finally {
            space.kubectl("delete", "mutatingwebhookconfiguration", "services-it");
        }
    }

    @Test
    void connectionsGoToReadyPodsInTurn(TestSpace space) {
        space.apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: turns}
                spec: {selector: {app: turns}, ports: [{name: web, port: 8000, targetPort: http}, {name: direct, port: 8080}]}
                """);
        for (String name : List.of("turns-a", "turns-b")) {
            space.apply("""
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: NAME, labels: {app: turns}}
                    spec:
                      terminationGracePeriodSeconds: 1
                      containers:
                      - name: web
                        image: test.invalid/server:1
                        ports: [{name: http, containerPort: 8080}]
                        readinessProbe: {httpGet: {port: http, path: /ready}, periodSeconds: 1, failureThreshold: 1}
                    """.replace("NAME", name));
        }
        space.awaitPod("turns-a", TestSpace::isReady);
        space.awaitPod("turns-b", TestSpace::isReady);
        String address =
                space.kubectl("get", "service", "turns", "-n", space.namespace(), "-o", "jsonpath={.spec.clusterIP}");
        for (String port : List.of("8000", "8080")) {
            await().atMost(TestSpace.PATIENCE)
                    .until(() -> answers(space, address, port).equals(Set.of("turns-a", "turns-b")));
        }
        space.kubectl("delete", "pod", "turns-a", "-n", space.namespace());
        await().atMost(TestSpace.PATIENCE)
                .until(() -> answers(space, address, "8000").equals(Set.of("turns-b")));
        space.kubectl("delete", "pod", "turns-b", "-n", space.namespace());
        await().atMost(TestSpace.PATIENCE)
                .until(() -> answers(space, address, "8000").equals(Set.of("SocketException"))
                        || answers(space, address, "8000").equals(Set.of("IOException")));
        space.kubectl("delete", "service", "turns", "-n", space.namespace());
        await().atMost(TestSpace.PATIENCE)
                .until(() -> answers(space, address, "8000").equals(Set.of("ConnectException")));
    }

    private static Set<String> answers(TestSpace space, String address, String port) {
        Set<String> all = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            all.add(space.get("http://" + address + ":" + port + "/name"));
        }
        return all;
    }
}
