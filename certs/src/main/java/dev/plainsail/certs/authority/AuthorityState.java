package dev.plainsail.certs.authority;

import dev.plainsail.certs.CertifiedKey;
import dev.plainsail.certs.KeyPairText;
import dev.plainsail.certs.UnusableKeyPairException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What is kept between starts and shared by replicas: the authorities, newest first, and the leaf that all of them serve.
 * One value, stored in one object, so that no reader ever sees a leaf beside the wrong authorities.
 */
public record AuthorityState(List<CertifiedKey> authorities, CertifiedKey leaf) {
    static final String AUTHORITY_CERTIFICATES = "ca.crt";
    static final String AUTHORITY_KEYS = "ca.key";
    static final String LEAF_CERTIFICATE = "tls.crt";
    static final String LEAF_KEY = "tls.key";

    public AuthorityState {
        authorities = List.copyOf(authorities);
        if (authorities.isEmpty()) {
            throw new IllegalArgumentException("no authority");
        }
    }

    public CertifiedKey newest() {
        return authorities.getFirst();
    }

    /** Every authority that a client must trust now, newest first, as PEM. */
    public String bundle() {
        return KeyPairText.certificates(
                authorities.stream().map(CertifiedKey::leaf).toList());
    }

    boolean isLeafSignedBy(X509Certificate authority) {
        return isSignedBy(leaf.leaf(), authority);
    }

    static boolean isSignedBy(X509Certificate leaf, X509Certificate authority) {
        try {
            leaf.verify(authority.getPublicKey());
            return true;
        } catch (java.security.GeneralSecurityException e) {
            return false;
        }
    }

    /** The keys of a {@code kubernetes.io/tls} Secret, and {@code ca.crt} beside them as cert-manager has it. */
    public Map<String, String> toPem() {
        StringBuilder keys = new StringBuilder();
        authorities.forEach(authority -> keys.append(KeyPairText.key(authority.key())));
        return Map.of(
                AUTHORITY_CERTIFICATES,
                bundle(),
                AUTHORITY_KEYS,
                keys.toString(),
                LEAF_CERTIFICATE,
                KeyPairText.certificates(leaf.chain()),
                LEAF_KEY,
                KeyPairText.key(leaf.key()));
    }

    /** The opposite of {@link #toPem}; says which entry is missing or broken. */
    public static AuthorityState fromPem(Map<String, String> data) throws UnusableKeyPairException {
        List<X509Certificate> certificates = KeyPairText.readCertificates(entry(data, AUTHORITY_CERTIFICATES));
        var keys = KeyPairText.readKeys(entry(data, AUTHORITY_KEYS));
        if (certificates.size() != keys.size()) {
            throw new UnusableKeyPairException(AUTHORITY_CERTIFICATES + " holds " + certificates.size()
                    + " certificates, " + AUTHORITY_KEYS + " " + keys.size() + " keys");
        }
        try {
            List<CertifiedKey> authorities = new ArrayList<>();
            for (int i = 0; i < certificates.size(); i++) {
                authorities.add(new CertifiedKey(keys.get(i), List.of(certificates.get(i))));
            }
            var leafKeys = KeyPairText.readKeys(entry(data, LEAF_KEY));
            var leafChain = KeyPairText.readCertificates(entry(data, LEAF_CERTIFICATE));
            return new AuthorityState(authorities, new CertifiedKey(leafKeys.getFirst(), leafChain));
        } catch (IllegalArgumentException e) {
            throw new UnusableKeyPairException("the stored authority does not fit together: " + e.getMessage());
        }
    }

    private static String entry(Map<String, String> data, String name) throws UnusableKeyPairException {
        String value = data.get(name);
        if (value == null || value.isBlank()) {
            throw new UnusableKeyPairException("the stored authority has no " + name);
        }
        return value;
    }
}
