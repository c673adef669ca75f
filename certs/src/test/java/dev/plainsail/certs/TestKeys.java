package dev.plainsail.certs;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Self-signed pairs in each form, written by Bouncy Castle: another hand than the reader's. */
final class TestKeys {
    private record Texts(String certificate, String key) {}

    private static final Map<String, Texts> MADE = new ConcurrentHashMap<>();

    private TestKeys() {}

    static void write(String form, Path folder) throws IOException {
        Files.writeString(folder.resolve("tls.crt"), certificateText(form));
        Files.writeString(folder.resolve("tls.key"), keyText(form));
    }

    static String certificateText(String form) {
        return MADE.computeIfAbsent(form, TestKeys::make).certificate();
    }

    static String keyText(String form) {
        return MADE.computeIfAbsent(form, TestKeys::make).key();
    }

    private static Texts make(String form) {
        try {
            KeyPair keys = keys(form.substring(0, form.indexOf('-')));
            Instant now = Instant.now();
            X500Name name = new X500Name("CN=" + form);
            String signature = switch (keys.getPrivate().getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> "Ed25519";
            };
            var certificate = new JcaX509CertificateConverter()
                    .getCertificate(new JcaX509v3CertificateBuilder(
                                    name,
                                    BigInteger.ONE,
                                    Date.from(now.minus(Duration.ofHours(1))),
                                    Date.from(now.plus(Duration.ofDays(1))),
                                    name,
                                    keys.getPublic())
                            .build(new JcaContentSignerBuilder(signature).build(keys.getPrivate())));
            PrivateKeyInfo info = PrivateKeyInfo.getInstance(keys.getPrivate().getEncoded());
            byte[] bare = info.parsePrivateKey().toASN1Primitive().getEncoded();
            String key = switch (form.substring(form.indexOf('-') + 1)) {
                case "pkcs1" -> Pem.encode("RSA PRIVATE KEY", bare);
                case "sec1" -> Pem.encode("EC PRIVATE KEY", sec1(info));
                default -> Pem.encode("PRIVATE KEY", info.getEncoded());
            };
            return new Texts(KeyPairText.certificates(List.of(certificate)), key);
        } catch (Exception e) {
            throw new IllegalStateException(form, e);
        }
    }

    /** With the curve inside, as Go and openssl write it. */
    private static byte[] sec1(PrivateKeyInfo info) throws IOException {
        var bare = org.bouncycastle.asn1.sec.ECPrivateKey.getInstance(info.parsePrivateKey());
        return new org.bouncycastle.asn1.sec.ECPrivateKey(
                        bare.getKey().bitLength() > 256 ? 384 : 256,
                        bare.getKey(),
                        info.getPrivateKeyAlgorithm().getParameters())
                .getEncoded();
    }

    private static KeyPair keys(String kind) throws Exception {
        return switch (kind) {
            case "rsa" -> {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
                generator.initialize(2048);
                yield generator.generateKeyPair();
            }
            case "ed25519" -> KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            default -> {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
                generator.initialize(new ECGenParameterSpec(kind.equals("ec384") ? "secp384r1" : "secp256r1"));
                yield generator.generateKeyPair();
            }
        };
    }
}
