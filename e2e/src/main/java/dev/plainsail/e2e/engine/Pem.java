package dev.plainsail.e2e.engine;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** TLS from PEM files: a certificate chain and a PKCS#8 key ("BEGIN PRIVATE KEY"), RSA or elliptic. */
final class Pem {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    private Pem() {}

    static SSLContext context(EngineSettings.Tls files) throws IOException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("engine", key(files.key()), new char[0], chain(files.certificate()));
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot serve TLS with " + files.certificate() + " and " + files.key() + ": " + e, e);
        }
    }

    private static Certificate[] chain(Path file) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509")
                    .generateCertificates(in)
                    .toArray(Certificate[]::new);
        }
    }

    private static PrivateKey key(Path file) throws IOException, GeneralSecurityException {
        Matcher matcher = KEY.matcher(Files.readString(file, StandardCharsets.US_ASCII));
        if (!matcher.find()) {
            throw new IOException(
                    file + " holds no PKCS#8 key; make one with: openssl pkcs8 -topk8 -nocrypt -in " + file);
        }
        PKCS8EncodedKeySpec encoded =
                new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(matcher.group(1)));
        for (String algorithm : List.of("EC", "RSA")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                // the other one, then
            }
        }
        throw new InvalidKeySpecException(file + " is neither an RSA nor an elliptic key");
    }
}
