package dev.plainsail.certs;

import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** Certificates and keys as PEM text, both ways. Keys are written as PKCS#8. */
public final class KeyPairText {
    private KeyPairText() {}

    public static String certificates(List<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : certificates) {
            try {
                text.append(Pem.encode("CERTIFICATE", certificate.getEncoded()));
            } catch (CertificateEncodingException e) {
                throw new IllegalArgumentException("cannot be encoded: " + certificate.getSubjectX500Principal(), e);
            }
        }
        return text.toString();
    }

    public static String key(PrivateKey key) {
        return Pem.encode("PRIVATE KEY", key.getEncoded());
    }

    /** At least one, in the order of the text. */
    public static List<X509Certificate> readCertificates(String text) throws UnusableKeyPairException {
        return KeyPairFiles.certificates(text);
    }

    /** At least one, in the order of the text, in any of the forms that {@link KeyPairFiles} reads. */
    public static List<PrivateKey> readKeys(String text) throws UnusableKeyPairException {
        List<PrivateKey> keys = new ArrayList<>();
        for (Pem.Block block : Pem.blocks(text)) {
            keys.add(PrivateKeyText.parse(Pem.encode(block.label(), block.der())));
        }
        if (keys.isEmpty()) {
            keys.add(PrivateKeyText.parse(text)); // says what is wrong with it
        }
        return keys;
    }
}
