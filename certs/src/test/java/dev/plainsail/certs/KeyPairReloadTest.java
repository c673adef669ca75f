package dev.plainsail.certs;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.certs.authority.Issuer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyPairReloadTest {
    private static final Duration FAST = Duration.ofMillis(20);
    private static final Issuer ISSUER = new Issuer(new SecureRandom());

    @TempDir
    Path folder;

    /** A mounted Secret: the names are links to ..data/name, ..data is a link to a folder with a date for a name. */
    private void mount(String folderName, CertifiedKey pair) throws IOException {
        Path version = Files.createDirectory(folder.resolve(folderName));
        Files.writeString(version.resolve("tls.crt"), KeyPairText.certificates(pair.chain()));
        Files.writeString(version.resolve("tls.key"), KeyPairText.key(pair.key()));
        Path link = Files.createSymbolicLink(folder.resolve("..data_tmp"), Path.of(folderName));
        Files.move(link, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        for (String name : List.of("tls.crt", "tls.key")) {
            if (!Files.exists(folder.resolve(name))) {
                Files.createSymbolicLink(folder.resolve(name), Path.of("..data", name));
            }
        }
    }

    private static CertifiedKey pair(String name) {
        return ISSUER.selfSigned(List.of(name), Instant.now(), Duration.ofDays(1));
    }

    @Test
    void swappedSecretIsServedWithoutRestart() throws Exception {
        CertifiedKey first = pair("first");
        CertifiedKey second = pair("second");
        mount("..2026_1", first);
        try (KeyPairReload reload = KeyPairReload.start(KeyPairFiles.in(folder), FAST);
                Server server = new Server(reload.keyManager(), "TLSv1.3")) {
            assertThat(server.servedTo()).isEqualTo(first.leaf());
            mount("..2026_2", second);
            await().until(() -> reload.reloads() == 1);
            assertThat(server.servedTo()).isEqualTo(second.leaf());
            assertThat(reload.failures()).isZero();
        }
    }

    @Test
    void badPairKeepsTheLastGoodOneAndIsCounted() throws Exception {
        CertifiedKey first = pair("first");
        mount("..2026_1", first);
        try (KeyPairReload reload = KeyPairReload.start(KeyPairFiles.in(folder), FAST)) {
            Files.writeString(folder.resolve("tls.key"), "-----BEGIN PRIVATE KEY-----\n");
            await().until(() -> reload.failures() > 0);
            assertThat(reload.keyManager().current()).isEqualTo(first);
            long before = reload.failures();
            Files.delete(folder.resolve("tls.key"));
            await().until(() -> reload.failures() > before);
            assertThat(reload.keyManager().current()).isEqualTo(first);
            CertifiedKey third = pair("third");
            Files.writeString(folder.resolve("tls.crt"), KeyPairText.certificates(third.chain()));
            Files.writeString(folder.resolve("tls.key"), KeyPairText.key(third.key()));
            await().until(() -> reload.keyManager().current().equals(third));
        }
    }

    @Test
    void firstPairMustBeGood() {
        assertThatThrownBy(() -> KeyPairReload.start(KeyPairFiles.in(folder)))
                .isInstanceOf(UnusableKeyPairException.class)
                .hasMessageContaining("no such file");
    }

    @ParameterizedTest
    @CsvSource({
        "rsa-pkcs1, TLSv1.2",
        "rsa-pkcs1, TLSv1.3",
        "ec-sec1, TLSv1.2",
        "ec-sec1, TLSv1.3",
        "ed25519-pkcs8, TLSv1.3"
    })
    void everyKindOfKeyIsServed(String form, String protocol) throws Exception {
        TestKeys.write(form, folder);
        CertifiedKey pair = KeyPairFiles.in(folder).read();
        try (Server server = new Server(new ReloadingKeyManager(pair), protocol)) {
            assertThat(server.servedTo()).isEqualTo(pair.leaf());
        }
    }

    @Test
    void handshakeThatStraddlesAReplacementKeepsItsPair() {
        CertifiedKey first = pair("first");
        ReloadingKeyManager keyManager = new ReloadingKeyManager(first);
        String alias = keyManager.chooseEngineServerAlias("EC", null, null);
        CertifiedKey second = pair("second");
        keyManager.use(second);
        keyManager.use(second);
        assertThat(keyManager.getPrivateKey(alias)).isEqualTo(first.key());
        assertThat(keyManager.getCertificateChain(alias)).containsExactly(first.leaf());
        assertThat(keyManager.getPrivateKey(keyManager.chooseServerAlias("EC", null, null)))
                .isEqualTo(second.key());
        keyManager.use(pair("third"));
        assertThat(keyManager.getPrivateKey(alias)).isNull();
    }

    @Test
    void halfWrittenFilesAreNotReported() throws Exception {
        Path file = folder.resolve("a");
        Files.writeString(file, "1");
        AtomicInteger changes = new AtomicInteger();
        FileWatch watch = FileWatch.polledByOwner(List.of(file), changes::incrementAndGet);
        watch.poll();
        Files.writeString(file, "2");
        watch.poll();
        Files.writeString(file, "3");
        watch.poll();
        assertThat(changes).hasValue(0);
        watch.poll();
        watch.poll();
        assertThat(changes).hasValue(1);
        Files.delete(file);
        watch.poll();
        watch.poll();
        assertThat(changes).hasValue(2);
        Files.writeString(file, "3");
        watch.poll();
        watch.poll();
        assertThat(changes).hasValue(3);
    }

    /** One TLS server on loopback that accepts for as long as it is open. */
    private static final class Server implements AutoCloseable {
        private final SSLServerSocket socket;
        private final String protocol;

        Server(KeyManager keyManager, String protocol) throws Exception {
            this.protocol = protocol;
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keyManager}, null, null);
            socket = (SSLServerSocket)
                    context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread.ofVirtual().start(this::accept);
        }

        private void accept() {
            while (!socket.isClosed()) {
                try (SSLSocket client = (SSLSocket) socket.accept()) {
                    client.startHandshake();
                    client.getOutputStream().write(1);
                } catch (IOException e) {
                    // The client sees the failed handshake, and the test with it.
                }
            }
        }

        X509Certificate servedTo() throws Exception {
            List<X509Certificate> seen = new ArrayList<>();
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Recorder(seen)}, null);
            try (SSLSocket client = (SSLSocket)
                    context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), socket.getLocalPort())) {
                client.setEnabledProtocols(new String[] {protocol});
                client.startHandshake();
                assertThat(client.getInputStream().read()).isEqualTo(1);
                return seen.getFirst();
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private record Recorder(List<X509Certificate> seen) implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            seen.addAll(List.of(chain));
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
