package dev.plainsail.e2e.certificates;

import static dev.plainsail.certs.Waiting.await;

import dev.plainsail.e2e.cluster.LocalCluster;
import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.webhook.WebhookProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The webhook serves every form of key that cert-manager writes, one after another without a restart. CASES CRT-01. */
@ExtendWith(SharedCluster.class)
class WebhookKeyFormsIT {
    @TempDir
    private Path folder;

    @Test
    void everyFormOfKeyIsServedByTheWebhookAfterALiveReplacement(LocalCluster cluster) throws Exception {
        MountedPair pair = new MountedPair(Files.createDirectory(folder.resolve("tls")));
        pair.swap(MountedPair.Form.RSA_PKCS1);
        cluster.kubectl().run("create", "namespace", "key-forms");
        try (WebhookProcess webhook = WebhookProcess.start(
                        cluster,
                        "--namespace=key-forms",
                        "--certificate-file=" + pair.certificate(),
                        "--key-file=" + pair.key())
                .awaitServing()) {
            int port = webhook.port();
            for (MountedPair.Form form : MountedPair.Form.values()) {
                X509Certificate next = pair.swap(form);
                await(form + " to be served")
                        .atMost(Duration.ofMinutes(2))
                        .until(() -> served(port).equals(next));
            }
        } finally {
            cluster.kubectl().run("delete", "namespace", "key-forms", "--wait=false");
        }
    }

    private static X509Certificate served(int port) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Anybody()}, null);
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
                SSLSocket socket =
                        (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true)) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
        }
    }

    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
            throw new UnsupportedOperationException("we are the client");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {
            // Whoever it is: the certificate itself is what is compared.
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
