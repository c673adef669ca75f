package dev.plainsail.epp.datalayer;

import dev.plainsail.certs.CertifiedKey;
import dev.plainsail.certs.KeyPairFiles;
import dev.plainsail.certs.KeyPairText;
import dev.plainsail.certs.UnusableKeyPairException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Makes the TLS context for talking to engines. */
public final class EngineTrust {
    private EngineTrust() {}

    /**
     * @param anybody take every certificate: encrypted, and nothing proved
     * @param authorities PEM file of those that are trusted; null: the JDK's
     * @param own the picker's own pair, for engines that want one; null: none
     * @throws UnusableKeyPairException if a file is not what it should be
     */
    public static SSLContext context(boolean anybody, @Nullable Path authorities, @Nullable KeyPairFiles own)
            throws UnusableKeyPairException {
        try {
            KeyManager[] keys = {};
            if (own != null) {
                keys = keys(own.read());
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, anybody ? new TrustManager[] {new Anybody()} : trust(authorities), new SecureRandom());
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new UnusableKeyPairException(String.valueOf(e.getMessage()));
        }
    }

    private static KeyManager[] keys(CertifiedKey pair) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        char[] password = {};
        store.setKeyEntry("own", pair.key(), password, pair.chain().toArray(X509Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, password);
        return factory.getKeyManagers();
    }

    private static TrustManager[] trust(@Nullable Path authorities)
            throws GeneralSecurityException, IOException, UnusableKeyPairException {
        KeyStore store = null;
        if (authorities != null) {
            store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (X509Certificate each : KeyPairText.readCertificates(Files.readString(authorities))) {
                store.setCertificateEntry("authority-" + number++, each);
            }
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    /** What llm-d's {@code insecureSkipVerify} asks for. */
    private static final class Anybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
