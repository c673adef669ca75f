package dev.plainsail.certs.authority;

import dev.plainsail.certs.CertifiedKey;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Makes keys (EC P-256, which every client of Kubernetes speaks and which signs a handshake in microseconds) and signs
 * certificates. Everything is dated back by {@link #BACKDATED}, so that a reader whose clock is behind accepts it.
 */
public final class Issuer {
    /** Clocks of nodes differ by seconds; an hour also covers a node that comes up before its time service. */
    static final Duration BACKDATED = Duration.ofHours(1);

    private final SecureRandom random;

    public Issuer(SecureRandom random) {
        this.random = random;
    }

    public CertifiedKey authority(String name, Instant now, Duration life) {
        KeyPair keys = newKeys();
        // The serial number in the name keeps two authorities of one program apart: readers match issuers by name
        // first.
        BigInteger serial = serial();
        X500Name subject = name(name + " " + serial.toString(16).substring(0, 8));
        return sign(keys, subject, keys, subject, serial, now, life, (builder, extensions) -> {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        });
    }

    /** A server's certificate. It never outlives its authority. */
    public CertifiedKey leaf(CertifiedKey authority, List<String> names, Instant now, Duration life) {
        Duration left = Duration.between(now, authority.expires());
        KeyPair issuer = new KeyPair(authority.leaf().getPublicKey(), authority.key());
        X500Name issuerName =
                X500Name.getInstance(authority.leaf().getSubjectX500Principal().getEncoded());
        return server(issuer, issuerName, newKeys(), names, now, life.compareTo(left) < 0 ? life : left);
    }

    /** A server's certificate that vouches for itself: for clients that encrypt without checking whom they talk to. */
    public CertifiedKey selfSigned(List<String> names, Instant now, Duration life) {
        KeyPair keys = newKeys();
        return server(keys, name(names.getFirst()), keys, names, now, life);
    }

    private CertifiedKey server(
            KeyPair issuer, X500Name issuerName, KeyPair keys, List<String> names, Instant now, Duration life) {
        return sign(issuer, issuerName, keys, name(names.getFirst()), serial(), now, life, (builder, extensions) -> {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
            builder.addExtension(
                    Extension.authorityKeyIdentifier,
                    false,
                    extensions.createAuthorityKeyIdentifier(issuer.getPublic()));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(names.stream().map(Issuer::generalName).toArray(GeneralName[]::new)));
        });
    }

    private interface Extensions {
        void addTo(X509v3CertificateBuilder builder, JcaX509ExtensionUtils extensions) throws IOException;
    }

    private CertifiedKey sign(
            KeyPair issuer,
            X500Name issuerName,
            KeyPair keys,
            X500Name subject,
            BigInteger serial,
            Instant now,
            Duration life,
            Extensions more) {
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    issuerName,
                    serial,
                    Date.from(now.minus(BACKDATED)),
                    Date.from(now.plus(life)),
                    subject,
                    keys.getPublic());
            JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
            builder.addExtension(
                    Extension.subjectKeyIdentifier, false, extensions.createSubjectKeyIdentifier(keys.getPublic()));
            more.addTo(builder, extensions);
            var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(issuer.getPrivate());
            return new CertifiedKey(
                    keys.getPrivate(),
                    List.of(new JcaX509CertificateConverter().getCertificate(builder.build(signer))));
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("signing a certificate for " + subject + " failed", e);
        }
    }

    private KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK makes P-256 keys", e);
        }
    }

    /** Positive, 127 random bits, never short: RFC 5280 wants at most 20 bytes. */
    private BigInteger serial() {
        return new BigInteger(126, random).setBit(126);
    }

    private static X500Name name(String commonName) {
        // The common name is at most 64 characters; the names that count are in the extension.
        String cut = commonName.substring(0, Math.min(64, commonName.length()));
        return new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, cut).build();
    }

    private static GeneralName generalName(String name) {
        boolean address = name.matches("[0-9.]+") || name.contains(":");
        return new GeneralName(address ? GeneralName.iPAddress : GeneralName.dNSName, name);
    }
}
