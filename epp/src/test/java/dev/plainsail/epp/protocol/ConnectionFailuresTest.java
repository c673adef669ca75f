package dev.plainsail.epp.protocol;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plainsail.certs.CertifiedKey;
import dev.plainsail.certs.ReloadingKeyManager;
import dev.plainsail.certs.authority.Issuer;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Case MAN-01: gateway and picker that do not agree about TLS, told apart on real connections. */
final class ConnectionFailuresTest {
    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);

    private final ConcurrentLinkedQueue<ConnectionFailure> heard = new ConcurrentLinkedQueue<>();
    private final ConnectionFailures failures = ConnectionFailures.listen(heard::add, System::nanoTime);
    private @Nullable Server server;

    @AfterEach
    void stop() {
        failures.close();
        if (server != null) {
            server.shutdownNow();
        }
    }

    private int serve(ServerCredentials credentials) throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), credentials)
                .build()
                .start();
        return server.getPort();
    }

    private static ServerCredentials tls() {
        CertifiedKey made =
                new Issuer(new SecureRandom()).selfSigned(List.of("localhost"), Instant.now(), Duration.ofDays(1));
        return TlsServerCredentials.newBuilder()
                .keyManager(new ReloadingKeyManager(made))
                .build();
    }

    private void awaitHeard(ConnectionFailure failure) {
        await().until(() -> heard.contains(failure));
        assertThat(failure.sentence()).isNotEmpty();
    }

    @Test
    void man01PlaintextClientAtTheTlsPort() throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), serve(tls()))) {
            client.getOutputStream().write(PREFACE);
            awaitHeard(ConnectionFailure.PLAINTEXT_CLIENT);
        }
    }

    @Test
    void man01TlsClientAtThePlaintextPort() throws Exception {
        int port = serve(InsecureServerCredentials.create());
        try (Socket client = SSLContext.getDefault().getSocketFactory().createSocket("127.0.0.1", port)) {
            client.getOutputStream().write(PREFACE);
        } catch (IOException e) {
            assertThat(e).isInstanceOf(IOException.class);
        }
        awaitHeard(ConnectionFailure.TLS_CLIENT);
    }

    @Test
    void man01ClientThatDoesNotTrustUs() throws Exception {
        int port = serve(tls());
        try (Socket client = SSLContext.getDefault().getSocketFactory().createSocket("127.0.0.1", port)) {
            client.getOutputStream().write(PREFACE);
        } catch (SSLException e) {
            assertThat(e).hasMessageContaining("PKIX");
        }
        awaitHeard(ConnectionFailure.HANDSHAKE);
    }
}
