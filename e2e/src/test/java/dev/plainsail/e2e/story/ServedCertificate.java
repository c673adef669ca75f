package dev.plainsail.e2e.story;

import dev.plainsail.e2e.TrustAll;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.util.Base64;
import javax.net.ssl.SSLSocket;

/** The certificate that a TLS server shows, in the form in which a Secret of cert-manager holds it. */
final class ServedCertificate {

    private ServedCertificate() {}

    /** Trusts anyone: what is shown is looked at by the caller. */
    static String of(InetSocketAddress address) {
        try {
            try (SSLSocket socket = (SSLSocket) TrustAll.context("TLS")
                    .getSocketFactory()
                    .createSocket(address.getHostString(), address.getPort())) {
                socket.setSoTimeout(20_000);
                socket.startHandshake();
                StringBuilder chain = new StringBuilder();
                for (Certificate certificate : socket.getSession().getPeerCertificates()) {
                    chain.append("-----BEGIN CERTIFICATE-----\n")
                            .append(Base64.getMimeEncoder(64, new byte[] {'\n'})
                                    .encodeToString(certificate.getEncoded()))
                            .append("\n-----END CERTIFICATE-----\n");
                }
                return Base64.getEncoder().encodeToString(chain.toString().getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
