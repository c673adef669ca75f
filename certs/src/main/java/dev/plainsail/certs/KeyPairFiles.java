package dev.plainsail.certs;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** Where a key pair lies on disk: a PEM file of certificates, leaf first, and a PEM file with the private key. */
public record KeyPairFiles(Path certificates, Path key) {
    private static final long LIMIT_BYTES = 1 << 20;

    /** The names that a {@code kubernetes.io/tls} Secret mounts. */
    public static KeyPairFiles in(Path folder) {
        return new KeyPairFiles(folder.resolve("tls.crt"), folder.resolve("tls.key"));
    }

    public List<Path> paths() {
        return List.of(certificates, key);
    }

    /** Both files as they stand now. They may be from two writings; then the pair does not fit and that is what is said. */
    public CertifiedKey read() throws UnusableKeyPairException {
        List<X509Certificate> chain = in(certificates, KeyPairFiles::certificates);
        PrivateKey privateKey = in(key, PrivateKeyText::parse);
        if (CertifiedKey.fits(privateKey, chain.getFirst())) {
            return new CertifiedKey(privateKey, chain);
        }
        for (int i = 1; i < chain.size(); i++) {
            if (CertifiedKey.fits(privateKey, chain.get(i))) {
                throw new UnusableKeyPairException(certificates + ": the key of " + key + " belongs to certificate "
                        + (i + 1) + " of " + chain.size() + " (" + chain.get(i).getSubjectX500Principal()
                        + "); put that one first");
            }
        }
        throw new UnusableKeyPairException(key + ": this " + privateKey.getAlgorithm()
                + " key does not belong to the certificate in " + certificates + " ("
                + chain.getFirst().getSubjectX500Principal() + ")");
    }

    static List<X509Certificate> certificates(String text) throws UnusableKeyPairException {
        List<X509Certificate> chain = new ArrayList<>();
        for (Pem.Block block : Pem.blocks(text)) {
            if (block.label().equals("CERTIFICATE") || block.label().equals("X509 CERTIFICATE")) {
                chain.add(certificate(block));
            }
        }
        if (chain.isEmpty()) {
            throw new UnusableKeyPairException("no \"-----BEGIN CERTIFICATE-----\" in it");
        }
        return chain;
    }

    private static X509Certificate certificate(Pem.Block block) throws UnusableKeyPairException {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(block.der()));
        } catch (CertificateException e) {
            throw new UnusableKeyPairException("a certificate in it cannot be read: " + e.getMessage(), e);
        }
    }

    private interface Parser<T> {
        T parse(String text) throws UnusableKeyPairException;
    }

    private static <T> T in(Path file, Parser<T> parser) throws UnusableKeyPairException {
        try {
            if (Files.size(file) > LIMIT_BYTES) {
                throw new UnusableKeyPairException("it is larger than 1 MiB, which no key pair is");
            }
            return parser.parse(Files.readString(file));
        } catch (UnusableKeyPairException e) {
            throw new UnusableKeyPairException(file + ": " + e.getMessage(), e);
        } catch (NoSuchFileException e) {
            throw new UnusableKeyPairException(file + ": no such file", e);
        } catch (IOException e) {
            throw new UnusableKeyPairException(file + ": cannot be read: " + e, e);
        }
    }
}
