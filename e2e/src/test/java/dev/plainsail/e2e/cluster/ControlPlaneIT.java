package dev.plainsail.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.e2e.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(SharedCluster.class)
final class ControlPlaneIT {

    @Test
    void theRealPartsRunAndTheNodesAreReady(LocalCluster cluster) throws Exception {
        assertThat(cluster.controlPlane())
                .extracting(ChildProcess::name)
                .containsExactly("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler");
        assertThat(cluster.kubectl().run("version")).contains("Server Version: v1.36.3");
        assertThat(cluster.kubectl().run("get", "nodes", "--no-headers"))
                .containsPattern("node-1 +Ready")
                .containsPattern("node-2 +Ready");
        assertThat(cluster.kubectl().run("get", "resourceslices", "-o", "jsonpath={.items[*].spec.driver}"))
                .contains("gpu.plainsail.test", "gpu.nvidia.com", "nic.plainsail.test");
    }

    @Test
    void manifestsAreAppliedFromAFileAndFromAKustomization(LocalCluster cluster, @TempDir Path folder)
            throws Exception {
        Files.writeString(
                folder.resolve("map.yaml"),
                "{apiVersion: v1, kind: ConfigMap, metadata: {name: applied}, data: {a: b}}");
        cluster.apply(folder.resolve("map.yaml"));
        Files.writeString(folder.resolve("kustomization.yaml"), "resources: [map.yaml]\nnamePrefix: kustomized-\n");
        cluster.apply(folder);
        assertThat(cluster.kubectl().run("delete", "configmap", "applied", "kustomized-applied"))
                .contains("\"applied\" deleted", "\"kustomized-applied\" deleted");
    }
}
