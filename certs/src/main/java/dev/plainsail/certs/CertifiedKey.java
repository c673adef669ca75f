package dev.plainsail.certs;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * A private key with the certificate chain that names its public half, leaf first.
 * An instance always fits together: the constructor proves by a signature that the key belongs to the first certificate.
 */
public record CertifiedKey(PrivateKey key, List<X509Certificate> chain) {
    private static final byte[] PROBE = {'p', 'l', 'a', 'i', 'n', 's', 'a', 'i', 'l'};

    public CertifiedKey {
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("a key without a certificate");
        }
        if (!fits(key, chain.getFirst())) {
            throw new IllegalArgumentException("the private key does not belong to the certificate of "
                    + chain.getFirst().getSubjectX500Principal());
        }
    }

    public X509Certificate leaf() {
        return chain.getFirst();
    }

    public BigInteger serialNumber() {
        return leaf().getSerialNumber();
    }

    public Instant expires() {
        return leaf().getNotAfter().toInstant();
    }

    /** The key never appears in logs. */
    @Override
    public String toString() {
        return "CertifiedKey[" + leaf().getSubjectX500Principal() + ", serial "
                + serialNumber().toString(16) + ", until " + expires() + "]";
    }

    static boolean fits(PrivateKey key, X509Certificate certificate) {
        PublicKey publicKey = certificate.getPublicKey();
        if (!key.getAlgorithm().equals(publicKey.getAlgorithm())) {
            return false;
        }
        try {
            Signature signer = Signature.getInstance(signatureAlgorithm(key));
            signer.initSign(key);
            signer.update(PROBE);
            byte[] signature = signer.sign();
            signer.initVerify(publicKey);
            signer.update(PROBE);
            return signer.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static String signatureAlgorithm(PrivateKey key) {
        return switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
    }
}
