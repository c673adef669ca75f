package dev.plainsail.e2e.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.services.HealthStatusManager;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Against grpc-java's own health service. */
final class GrpcHealthTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final HealthStatusManager health = new HealthStatusManager();
    private final Server server = NettyServerBuilder.forAddress(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(health.getHealthService())
            .build();

    @BeforeEach
    void serve() throws IOException {
        server.start();
    }

    @AfterEach
    void stop() {
        server.shutdownNow();
    }

    @Test
    void servingPassesAndAnythingElseFails() throws IOException {
        health.setStatus("", ServingStatus.SERVING);
        health.setStatus("picker", ServingStatus.NOT_SERVING);
        assertThat(GrpcHealth.check("127.0.0.1", server.getPort(), null, TIMEOUT))
                .isEmpty();
        assertThat(GrpcHealth.check("127.0.0.1", server.getPort(), "picker", TIMEOUT))
                .contains("the service is not serving");
        health.setStatus("picker", ServingStatus.SERVING);
        assertThat(GrpcHealth.check("127.0.0.1", server.getPort(), "picker", TIMEOUT))
                .isEmpty();
        assertThat(GrpcHealth.check("127.0.0.1", server.getPort(), "unknown", TIMEOUT))
                .as("gRPC answers NOT_FOUND, without a message")
                .contains("the service is not serving");
    }

    @Test
    void aClosedPortIsAnError() {
        int port = server.getPort();
        server.shutdownNow();
        assertThatThrownBy(() -> GrpcHealth.check("127.0.0.1", port, "", TIMEOUT))
                .isInstanceOf(IOException.class);
    }
}
