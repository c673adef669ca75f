package dev.plainsail.e2e.cluster;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority for one test cluster: EC keys, valid for a year, kept in the cluster's own folder. */
final class Pki {

    private static final Duration VALID = Duration.ofDays(366);
    private static final Pattern IP = Pattern.compile("[0-9.]+");

    private final SecureRandom random = new SecureRandom();
    private final Instant now;
    private final Pair authority;

    /** A certificate with its key. */
    record Pair(X509Certificate certificate, KeyPair keys) {
        String certificatePem() {
            return pem(certificate);
        }

        String keyPem() {
            return Pki.keyPem(keys);
        }

        /** Writes {@code NAME.crt} and {@code NAME.key}, the key for the owner only. */
        void write(Path folder, String name) throws IOException {
            Files.writeString(folder.resolve(name + ".crt"), certificatePem());
            writeSecret(folder.resolve(name + ".key"), keyPem());
        }
    }

    Pki(String commonName, Instant now) {
        this.now = now;
        X500Principal name = new X500Principal("CN=" + commonName);
        KeyPair keys = newKeys();
        JcaX509v3CertificateBuilder builder = builder(name, name, keys);
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            builder.addExtension(
                    Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.digitalSignature));
        } catch (CertIOException e) {
            throw new IllegalStateException(e);
        }
        this.authority = new Pair(sign(builder, keys), keys);
    }

    Pair authority() {
        return authority;
    }

    /** A leaf. The subject reads {@code O=system:masters,CN=admin}; the names are DNS names and IPv4 addresses. */
    Pair issue(String subject, List<String> names) {
        KeyPair keys = newKeys();
        JcaX509v3CertificateBuilder builder =
                builder(authority.certificate().getSubjectX500Principal(), new X500Principal(subject), keys);
        try {
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
                KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
            }));
            if (!names.isEmpty()) {
                builder.addExtension(Extension.subjectAlternativeName, false, alternatives(names));
            }
        } catch (CertIOException e) {
            throw new IllegalStateException(e);
        }
        return new Pair(sign(builder, authority.keys()), keys);
    }

    private static GeneralNames alternatives(List<String> names) {
        return new GeneralNames(names.stream()
                .map(name ->
                        new GeneralName(IP.matcher(name).matches() ? GeneralName.iPAddress : GeneralName.dNSName, name))
                .toArray(GeneralName[]::new));
    }

    static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has P-256", e);
        }
    }

    private JcaX509v3CertificateBuilder builder(X500Principal issuer, X500Principal subject, KeyPair keys) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(120, random),
                Date.from(now.minus(Duration.ofMinutes(5))),
                Date.from(now.plus(VALID)),
                subject,
                keys.getPublic());
    }

    private static X509Certificate sign(JcaX509v3CertificateBuilder builder, KeyPair signer) {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer.getPrivate())));
        } catch (OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** In the older form with the curve inside, {@code EC PRIVATE KEY}, which every reader of kubeconfigs understands. */
    static String keyPem(KeyPair keys) {
        BigInteger number = ((ECPrivateKey) keys.getPrivate()).getS();
        DERBitString point = new DERBitString(
                SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded())
                        .getPublicKeyData()
                        .getBytes());
        try {
            return pem(
                    "EC PRIVATE KEY",
                    new org.bouncycastle.asn1.sec.ECPrivateKey(256, number, point, SECObjectIdentifiers.secp256r1)
                            .getEncoded());
        } catch (IOException e) {
            throw new IllegalStateException("a key of ours has no encoding", e);
        }
    }

    static String pem(X509Certificate certificate) {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate of ours has no encoding", e);
        }
    }

    static String pem(String type, byte[] der) {
        Base64.Encoder lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
        return "-----BEGIN " + type + "-----\n" + lines.encodeToString(der) + "\n-----END " + type + "-----\n";
    }

    /** Writes a file that only its owner may read. */
    static void writeSecret(Path file, String text) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, text);
    }
}
