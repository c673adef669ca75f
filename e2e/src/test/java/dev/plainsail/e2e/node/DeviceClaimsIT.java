package dev.plainsail.e2e.node;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestSpace;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The real scheduler allocates, the pods get what it allocated, and give it back. */
@ExtendWith(SharedCluster.class)
final class DeviceClaimsIT {

    private static final String POD = """
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: NAME}
            spec:
              terminationGracePeriodSeconds: 1
              resourceClaims: [{name: devices, resourceClaimTemplateName: NAME}]
              containers: [{name: main, image: busybox, command: [sleep, "1000"], resources: {claims: [{name: devices}]}}]
            """;

    @Test
    void aDeploymentsPodsGetClaimsStartAreProbedAndGiveTheClaimsBack(TestSpace space) {
        space.apply("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: two}
                spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.plainsail.test, count: 2}}]}}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web}
                spec:
                  replicas: 2
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec:
                      terminationGracePeriodSeconds: 2
                      resourceClaims: [{name: devices, resourceClaimTemplateName: two}]
                      containers:
                      - name: web
                        image: test.invalid/server
                        ports: [{name: http, containerPort: 8080}]
                        resources: {claims: [{name: devices}]}
                        readinessProbe: {httpGet: {port: http, path: /ready}, periodSeconds: 1}
                """);
        space.kubectl("rollout", "status", "deployment/web", "-n", space.namespace(), "--timeout=120s");
        List<Pod> pods = space.pods("web");
        assertThat(pods).hasSize(2).allMatch(TestSpace::isReady);
        List<Long> pids = pods.stream().map(DeviceClaimsIT::pid).toList();
        assertThat(pids).allMatch(pid -> ProcessHandle.of(pid).isPresent());
        for (Pod pod : pods) {
            String name = pod.getMetadata().getName();
            String devices = space.devices(name).replace("gpu=", "").replace(' ', ',');
            assertThat(devices).matches("gpu-\\d,gpu-\\d");
            assertThat(space.get("http://" + pod.getStatus().getPodIP() + ":8080/env"))
                    .as("the process has what was allocated to its pod")
                    .contains("PLAINSAIL_TEST_DEVICES=" + devices + "\n", "HOSTNAME=" + name + "\n");
        }
        space.kubectl("delete", "deployment", "web", "-n", space.namespace());
        await().atMost(TestSpace.PATIENCE)
                .until(() -> space.pods("web").isEmpty()
                        && space.claims().stream()
                                .noneMatch(
                                        claim -> claim.getMetadata().getName().startsWith("web-")));
        assertThat(pids).noneMatch(pid -> ProcessHandle.of(pid).isPresent());
    }

    private static long pid(Pod pod) {
        return Long.parseLong(TestSpace.only(pod).getContainerID().replace("process://", ""));
    }

    @Test
    void aSelectorWithNvidiasNamesPicksTheDevice(TestSpace space) {
        template(space, "cel", """
                - name: gpu
                  exactly:
                    deviceClassName: gpu.nvidia.com
                    selectors:
                    - cel:
                        expression: >-
                          device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("60Gi")) >= 0 &&
                          device.attributes["gpu.nvidia.com"].architecture == "Hopper" &&
                          device.attributes["gpu.nvidia.com"].cudaComputeCapability.isGreaterThan(semver("8.9.0")) &&
                          device.attributes["resource.kubernetes.io"].pcieRoot == "pci0000:f0"
                """, "");
        space.awaitPod("cel", TestSpace::isReady);
        assertThat(space.devices("cel")).isEqualTo("gpu=gpu-5");
        assertThat(space.pod("cel").getSpec().getNodeName()).isEqualTo("node-2");
    }

    @Test
    void theFirstAlternativeThatExistsIsTaken(TestSpace space) {
        template(space, "first", """
                - name: gpu
                  firstAvailable:
                  - name: huge
                    deviceClassName: gpu.nvidia.com
                    selectors: [{cel: {expression: 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("100Gi")) >= 0'}}]
                  - name: pair
                    deviceClassName: gpu.nvidia.com
                    count: 2
                    selectors: [{cel: {expression: 'device.attributes["gpu.nvidia.com"].architecture == "Ampere"'}}]
                """, "");
        space.awaitPod("first", TestSpace::isReady);
        assertThat(space.devices("first")).matches("gpu/pair=gpu-[0-3] gpu/pair=gpu-[0-3]");
    }

    @Test
    void anAttributeIsMatchedOverTwoDrivers(TestSpace space) {
        template(
                space,
                "match",
                """
                - {name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}
                - {name: nic, exactly: {deviceClassName: nic.plainsail.test}}
                """,
                "constraints: [{requests: [gpu, nic], matchAttribute: resource.kubernetes.io/pcieRoot}]");
        space.awaitPod("match", TestSpace::isReady);
        assertThat(space.devices("match")).isIn("gpu=gpu-2 nic=nic-0", "gpu=gpu-6 nic=nic-1");
    }

    private static void template(TestSpace space, String name, String requests, String constraints) {
        space.apply("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: %s}
                spec:
                  spec:
                    devices:
                      requests:
                %s      %s
                """.formatted(name, requests.indent(6), constraints) + POD.replace("NAME", name));
    }

    @Test
    void anExtendedResourceIsServedThroughAClaimThatTheSchedulerMakes(TestSpace space) {
        space.apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: extended}
                spec:
                  terminationGracePeriodSeconds: 1
                  containers: [{name: main, image: busybox, command: [sleep, "1000"], resources: {limits: {nvidia.com/gpu: 1}}}]
                """);
        Pod pod = space.awaitPod("extended", TestSpace::isReady);
        assertThat(pod.getStatus().getExtendedResourceClaimStatus().getResourceClaimName())
                .startsWith("extended-");
        assertThat(space.devices("extended")).matches("container-0-request-0=gpu-\\d");
    }

    @Test
    void aPodWhoseClaimIsNotAllocatedForItIsRefused(TestSpace space) {
        space.apply("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: nobodys}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.plainsail.test}}]}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: smuggled}
                spec:
                  nodeName: node-1
                  terminationGracePeriodSeconds: 1
                  resourceClaims: [{name: devices, resourceClaimName: nobodys}]
                  containers: [{name: main, image: busybox, command: [sleep, "1000"], resources: {claims: [{name: devices}]}}]
                """);
        await().atMost(TestSpace.PATIENCE)
                .until(() -> space.events("smuggled").stream()
                        .anyMatch(event -> event.getReason().equals("FailedPrepareDynamicResources")
                                && event.getMessage().equals("resource claim nobodys is not allocated")));
        Pod pod = space.pod("smuggled");
        assertThat(pod.getStatus().getPhase()).isEqualTo("Pending");
        assertThat(TestSpace.only(pod).getState().getWaiting().getReason()).isEqualTo("ContainerCreating");
        space.kubectl("delete", "pod", "smuggled", "-n", space.namespace(), "--wait=false");
        space.awaitGone("smuggled");
    }
}
