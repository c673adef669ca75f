package dev.plainsail.e2e.node;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestSpace;
import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a pod's process finds: variables, volumes, its identity. */
@ExtendWith(SharedCluster.class)
final class PodContentIT {

    @Test
    void variablesAreWhatTheKubeletGives(TestSpace space) {
        space.apply("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: settings}
                data: {COLOUR: blue, SIZE: large}
                ---
                apiVersion: v1
                kind: Secret
                metadata: {name: secret}
                stringData: {word: hidden}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: other-one}
                spec: {selector: {app: none}, ports: [{name: http, port: 9000}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: variables, labels: {team: blue}}
                spec:
                  terminationGracePeriodSeconds: 1
                  containers:
                  - name: main
                    image: test.invalid/server
                    command: [sh, -c, "env; echo args: $0 $1; exec sleep 1000", "$(JOINED)", "$$(KEPT) $(UNKNOWN)"]
                    envFrom: [{prefix: MAP_, configMapRef: {name: settings}}]
                    resources: {limits: {memory: 3Mi, cpu: 1500m}}
                    env:
                    - {name: WORD, valueFrom: {secretKeyRef: {name: secret, key: word}}}
                    - {name: MISSING, valueFrom: {secretKeyRef: {name: none, key: word, optional: true}}}
                    - {name: TEAM, valueFrom: {fieldRef: {fieldPath: "metadata.labels['team']"}}}
                    - {name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
                    - {name: MEMORY, valueFrom: {resourceFieldRef: {resource: limits.memory, divisor: 1Mi}}}
                    - {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
                    - {name: JOINED, value: "$(WORD)-$(MAP_COLOUR)-$(OTHER_ONE_SERVICE_PORT)"}
                    - {name: EARLY, value: "$(LATE)"}
                    - {name: LATE, value: x}
                """);
        Pod pod = space.awaitPod("variables", TestSpace::isReady);
        await().atMost(TestSpace.PATIENCE)
                .until(() -> space.log("variables", "main").contains("args:"));
        String log = space.log("variables", "main");
        assertThat(log.lines())
                .contains(
                        "WORD=hidden",
                        "MAP_SIZE=large",
                        "TEAM=blue",
                        "NODE=" + pod.getSpec().getNodeName(),
                        "MEMORY=3",
                        "CPU=2",
                        "JOINED=hidden-blue-9000",
                        "EARLY=$(LATE)",
                        "POD_IP=" + pod.getStatus().getPodIP(),
                        "HOSTNAME=variables",
                        "FROM_IMAGE=yes",
                        "args: hidden-blue-9000 $(KEPT) $(UNKNOWN)");
        assertThat(log).doesNotContain("MISSING=").doesNotContain("PLAINSAIL_CACHE");
    }

    @Test
    void aMissingSecretIsWaitedForAndNamed(TestSpace space) {
        space.apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: waits}
                spec:
                  terminationGracePeriodSeconds: 1
                  volumes: [{name: late, secret: {secretName: late}}]
                  containers: [{name: main, image: busybox, command: [sh, -c, "cat /late/a; exec sleep 1000"], volumeMounts: [{name: late, mountPath: /late}]}]
                """);
        await().atMost(TestSpace.PATIENCE)
                .until(() -> space.events("waits").stream()
                        .anyMatch(e -> e.getReason().equals("FailedMount")
                                && e.getMessage().equals("secret \"late\" not found")));
        assertThat(space.pod("waits").getStatus().getPhase()).isEqualTo("Pending");
        space.kubectl("create", "secret", "generic", "late", "-n", space.namespace(), "--from-literal=a=came");
        space.awaitPod("waits", TestSpace::isReady);
        await().atMost(TestSpace.PATIENCE)
                .until(() -> space.log("waits", "main").equals("came"));
    }

    @Test
    void configMapTextNamesOwnAddressServicesAndFoldersAndNothingElseIsChanged(TestSpace space) {
        space.apply("""
                apiVersion: v1
                kind: Service
                metadata: {name: upstream}
                spec: {selector: {app: none}, ports: [{port: 80}]}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: text}
                data:
                  conf: |
                    listen 0.0.0.0:8000; to upstream.NAMESPACE.svc:80 and upstream.NAMESPACE.svc.cluster.local
                    unknown.NAMESPACE.svc; 10.0.0.0.0; cert /etc/certs/tls.crt
                ---
                apiVersion: v1
                kind: Secret
                metadata: {name: text}
                stringData: {conf: "0.0.0.0 upstream.NAMESPACE.svc"}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: text}
                spec:
                  terminationGracePeriodSeconds: 1
                  volumes:
                  - {name: text, configMap: {name: text}}
                  - {name: certs, secret: {secretName: text, items: [{key: conf, path: deep/renamed}]}}
                  - {name: self, downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}
                  containers:
                  - name: main
                    image: busybox
                    command: [sh, -c, "cat /etc/text/conf /etc/certs/deep/renamed $SELF/name; echo; echo arg $0; exec sleep 1000", "0.0.0.0"]
                    env: [{name: SELF, value: /self/}]
                    volumeMounts: [{name: text, mountPath: /etc/text}, {name: certs, mountPath: /etc/certs}, {name: self, mountPath: /self}]
                """.replace("NAMESPACE", space.namespace()));
        Pod pod = space.awaitPod("text", TestSpace::isReady);
        String service = space.kubectl(
                "get", "service", "upstream", "-n", space.namespace(), "-o", "jsonpath={.spec.clusterIP}");
        await().atMost(TestSpace.PATIENCE).until(() -> space.log("text", "main").contains("arg"));
        assertThat(space.log("text", "main"))
                .contains("listen " + pod.getStatus().getPodIP() + ":8000; to " + service + ":80 and " + service + "\n")
                .contains("unknown." + space.namespace() + ".svc; 10.0.0.0.0; cert /")
                .contains("/volumes/certs/tls.crt\n")
                .contains("0.0.0.0 upstream." + space.namespace() + ".svc" + "text\n")
                .endsWith("arg 0.0.0.0\n");
    }

    @Test
    void aChangedSecretArrivesAsAWholeWithinTwoSeconds(TestSpace space) {
        space.apply("""
                apiVersion: v1
                kind: Secret
                metadata: {name: rotating}
                stringData: {a: "1", b: "1"}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: rotating}
                spec:
                  terminationGracePeriodSeconds: 1
                  volumes: [{name: keys, secret: {secretName: rotating}}]
                  containers:
                  - name: main
                    image: busybox
                    command: [sh, -c, "while :; do cd /keys/..data && echo $(cat a)$(cat b); sleep 0.05; done"]
                    volumeMounts: [{name: keys, mountPath: /keys}]
                """);
        space.awaitPod("rotating", TestSpace::isReady);
        await().atMost(TestSpace.PATIENCE)
                .until(() -> space.log("rotating", "main").contains("11"));
        space.apply("""
                apiVersion: v1
                kind: Secret
                metadata: {name: rotating}
                stringData: {a: "2", b: "2"}
                """);
        await().atMost(TestSpace.PATIENCE)
                .until(() -> space.log("rotating", "main").contains("22"));
        assertThat(space.log("rotating", "main").lines().distinct())
                .as("never one file of the old and one of the new")
                .doesNotContain("12", "21");
    }

    @Test
    void thePodHasItsOwnIdentityAndRbacHolds(TestSpace space) {
        String kubectl = space.cluster().kubectl().program().toString();
        space.apply("""
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: reader}
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: Role
                metadata: {name: reader}
                rules: [{apiGroups: [""], resources: [pods], verbs: [list]}]
                ---
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: reader}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
                subjects: [{kind: ServiceAccount, name: reader}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: identity}
                spec:
                  serviceAccountName: reader
                  restartPolicy: Never
                  containers:
                  - name: main
                    image: busybox
                    command: [sh, -c, "KUBECTL auth whoami -o 'jsonpath={.status.userInfo.username}'; echo; until KUBECTL get pods -o name; do sleep 0.2; done; KUBECTL get secrets"]
                """.replace("KUBECTL", kubectl));
        space.awaitPod("identity", p -> p.getStatus().getPhase().equals("Failed"));
        assertThat(space.log("identity", "main"))
                .contains("system:serviceaccount:" + space.namespace() + ":reader\n", "pod/identity\n")
                .contains("cannot list resource \"secrets\"");
        space.apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: stranger}
                spec:
                  automountServiceAccountToken: false
                  restartPolicy: Never
                  containers: [{name: main, image: busybox, command: [sh, -c, "echo config=$KUBECONFIG"]}]
                """);
        space.awaitPod("stranger", p -> p.getStatus().getPhase().equals("Succeeded"));
        assertThat(space.log("stranger", "main")).isEqualTo("config=\n");
    }
}
