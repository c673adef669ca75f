package dev.plainsail.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.plainsail.e2e.cluster.GoModule;
import dev.plainsail.e2e.cluster.Kubectl;
import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.story.Checkout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The objects for Envoy Gateway, checked by the API server against the kinds of their own projects. No Envoy Gateway runs here. */
@ExtendWith(SharedCluster.class)
class EnvoyGatewayIT {
    @Test
    void objectsForEnvoyGatewayAreAcceptedByTheApiServer(LocalCluster cluster) throws Exception {
        Kubectl kubectl = cluster.kubectl();
        List<Path> kinds = List.of(kinds(GoModule.GATEWAY_API), kinds(GoModule.ENVOY_GATEWAY));
        try {
            for (Path each : kinds) {
                kubectl.run("apply", "--server-side", "-f", each.toString());
            }
            kubectl.run("wait", "--for=condition=Established", "--timeout=120s", "crd", "--all");
            String objects = Checkout.find().manifests("envoy/gateway").toString();
            String said = kubectl.run("apply", "--server-side", "--dry-run=server", "--validate=strict", "-k", objects);
            assertThat(said)
                    .contains("envoyextensionpolicy.gateway.envoyproxy.io/vllm serverside-applied")
                    .contains("backendtrafficpolicy.gateway.envoyproxy.io/vllm serverside-applied")
                    .contains("httproute.gateway.networking.k8s.io/vllm serverside-applied");
        } finally {
            for (Path each : kinds) {
                kubectl.run("delete", "--ignore-not-found", "-f", each.toString());
            }
        }
    }

    private static Path kinds(GoModule module) {
        return module.find(System.getenv())
                .orElseGet(() -> abort("skipped: Envoy Gateway's kinds, because there is no Go to get them"));
    }
}
