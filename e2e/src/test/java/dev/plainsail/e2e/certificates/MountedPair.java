package dev.plainsail.e2e.certificates;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A folder as the kubelet mounts a TLS Secret, with pairs of every form that cert-manager writes, each replaced in one step. */
final class MountedPair {
    /** The forms of {@code spec.privateKey} in a Certificate, and the first line of the key that comes of each. */
    enum Form {
        RSA_PKCS1("RSA", "SHA256withRSA", "BEGIN RSA PRIVATE KEY"),
        EC_SEC1("EC", "SHA256withECDSA", "BEGIN EC PRIVATE KEY"),
        RSA_PKCS8("RSA", "SHA256withRSA", "BEGIN PRIVATE KEY"),
        EC_PKCS8("EC", "SHA256withECDSA", "BEGIN PRIVATE KEY"),
        ED25519_PKCS8("Ed25519", "Ed25519", "BEGIN PRIVATE KEY");

        private final String algorithm;
        private final String signature;
        private final String header;

        Form(String algorithm, String signature, String header) {
            this.algorithm = algorithm;
            this.signature = signature;
            this.header = header;
        }

        boolean isPkcs8() {
            return header.equals("BEGIN PRIVATE KEY");
        }
    }

    private final Path folder;
    private int swaps;

    MountedPair(Path folder) {
        this.folder = folder;
    }

    Path folder() {
        return folder;
    }

    Path certificate() {
        return folder.resolve("tls.crt");
    }

    Path key() {
        return folder.resolve("tls.key");
    }

    /** Puts a new pair there. */
    X509Certificate swap(Form form) throws IOException, GeneralSecurityException, OperatorCreationException {
        KeyPair keys = keys(form);
        X509Certificate certificate = certificate(form, keys);
        String name = "..version-" + ++swaps;
        Path version = Files.createDirectories(folder.resolve(name));
        Files.writeString(version.resolve("tls.crt"), pem(certificate));
        String key = pem(form.isPkcs8() ? new JcaPKCS8Generator(keys.getPrivate(), null) : keys.getPrivate());
        if (!key.contains(form.header)) {
            throw new IllegalStateException(
                    form + " was written as " + key.lines().findFirst());
        }
        Files.writeString(version.resolve("tls.key"), key);
        Path next = folder.resolve("..data_tmp");
        Files.createSymbolicLink(next, Path.of(name));
        Files.move(next, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
        if (swaps == 1) {
            Files.createSymbolicLink(certificate(), Path.of("..data/tls.crt"));
            Files.createSymbolicLink(key(), Path.of("..data/tls.key"));
        }
        return certificate;
    }

    private static KeyPair keys(Form form) throws GeneralSecurityException {
        // Not the JDK's own: it leaves the curve out of the key, which in SEC1 nobody else does.
        KeyPairGenerator generator = KeyPairGenerator.getInstance(form.algorithm, new BouncyCastleProvider());
        if (form.algorithm.equals("RSA")) {
            generator.initialize(2048);
        } else if (form.algorithm.equals("EC")) {
            generator.initialize(new ECGenParameterSpec("secp256r1"));
        }
        return generator.generateKeyPair();
    }

    private X509Certificate certificate(Form form, KeyPair keys)
            throws GeneralSecurityException, OperatorCreationException {
        Instant now = Instant.now();
        X500Name name = new X500Name("CN=test");
        return new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                name,
                                BigInteger.valueOf(1000 + swaps),
                                Date.from(now.minus(Duration.ofHours(1))),
                                Date.from(now.plus(Duration.ofDays(1))),
                                name,
                                keys.getPublic())
                        .build(new JcaContentSignerBuilder(form.signature).build(keys.getPrivate())));
    }

    private static String pem(Object object) throws IOException {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }
}
