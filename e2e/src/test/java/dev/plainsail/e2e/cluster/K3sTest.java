package dev.plainsail.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.plainsail.e2e.UserError;
import dev.plainsail.e2e.realnode.Unavailable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;

final class K3sTest {

    @Test
    void imageIsOneThatServesDeviceClaimsUnlessTheUserNamesAnother() {
        assertThat(K3s.image(Map.of()).asCanonicalNameString()).isEqualTo(K3s.DEFAULT_IMAGE);
        assertThat(K3s.image(Map.of("PLAINSAIL_K3S_IMAGE", "registry.example:5000/mirror/k3s:v1.34.0-k3s1"))
                        .asCanonicalNameString())
                .isEqualTo("registry.example:5000/mirror/k3s:v1.34.0-k3s1");
    }

    @Test
    void clusterIsGivenToTestsAsAnExistingOneAndTheRestOfTheEnvironmentStays() {
        assertThat(K3s.asExisting(
                        Map.of("PLAINSAIL_CLUSTER", "k3s", "KUBECONFIG", "/mine", "PLAINSAIL_CACHE", "/cache"),
                        Path.of("/its/kubeconfig")))
                .isEqualTo(Map.of(
                        "PLAINSAIL_CLUSTER", "existing", "KUBECONFIG", "/its/kubeconfig", "PLAINSAIL_CACHE", "/cache"));
    }

    @Test
    void withoutDaemonThereIsNoneAndOneLineSaysWhy() {
        assumeFalse(DockerClientFactory.instance().isDockerAvailable(), "a Docker daemon is there");
        assertThatThrownBy(() -> K3s.start(Map.of(), List.of()))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("Docker daemon")
                .message()
                .doesNotContain("\n");
    }

    @Test
    void programsThatKeepAClusterSayThatK3sIsForTests() {
        assertThatThrownBy(() -> LocalCluster.start(Map.of("PLAINSAIL_CLUSTER", "k3s")))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("write local, node or existing");
    }
}
