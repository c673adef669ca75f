package dev.plainsail.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plainsail.certs.authority.Issuer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The forms in which key pairs reach us. CRT-01: cert-manager's default key is PKCS#1, its ECDSA keys are SEC1. */
class KeyPairFilesTest {
    private static final Issuer ISSUER = new Issuer(new SecureRandom());

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"rsa-pkcs1", "rsa-pkcs8", "ec-sec1", "ec-pkcs8", "ec384-sec1", "ed25519-pkcs8"})
    void everyFormThatCertManagerWritesIsRead(String form) throws Exception {
        TestKeys.write(form, folder);
        CertifiedKey pair = KeyPairFiles.in(folder).read();
        assertThat(pair.leaf().getSubjectX500Principal().getName()).isEqualTo("CN=" + form);
        assertThat(CertifiedKey.fits(pair.key(), pair.leaf())).isTrue();
    }

    @Test
    void headerLinesOfTheFormsAreTheOnesClaimed() throws Exception {
        assertThat(TestKeys.keyText("rsa-pkcs1")).startsWith("-----BEGIN RSA PRIVATE KEY-----");
        assertThat(TestKeys.keyText("ec-sec1")).startsWith("-----BEGIN EC PRIVATE KEY-----");
        assertThat(TestKeys.keyText("ed25519-pkcs8")).startsWith("-----BEGIN PRIVATE KEY-----");
    }

    @Test
    void parametersBlockBeforeAnEcKeyIsSkipped() throws Exception {
        TestKeys.write("ec-sec1", folder);
        // 1.2.840.10045.3.1.7, as openssl ecparam -genkey writes it in front of the key
        prepend("tls.key", "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n");
        assertThat(KeyPairFiles.in(folder).read().key().getAlgorithm()).isEqualTo("EC");
    }

    @Test
    void commentsAndWindowsLineEndsAreIgnored() throws Exception {
        TestKeys.write("rsa-pkcs1", folder);
        for (String name : List.of("tls.crt", "tls.key")) {
            String text = "Bag Attributes\n  friendlyName: x\n" + Files.readString(folder.resolve(name));
            Files.writeString(folder.resolve(name), text.replace("\n", "\r\n"));
        }
        assertThat(KeyPairFiles.in(folder).read().key().getAlgorithm()).isEqualTo("RSA");
    }

    @Test
    void whatIsNotReadIsNamedByItsHeaderLine() throws Exception {
        TestKeys.write("ec-sec1", folder);
        refused(
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
                "\"-----BEGIN ENCRYPTED PRIVATE KEY-----\" is encrypted; write it without a password");
        refused(
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\n\nAAAA\n-----END RSA PRIVATE KEY-----\n",
                "holds an encrypted key");
        refused(
                "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
                "ssh-keygen -p -m PEM");
        refused(
                "-----BEGIN DSA PRIVATE KEY-----\nAAAA\n-----END DSA PRIVATE KEY-----\n",
                "\"-----BEGIN DSA PRIVATE KEY-----\" cannot be served; wanted is");
        refused(
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                "no private key found, it starts with \"-----BEGIN CERTIFICATE-----\"");
        refused("-----BEGIN PRIVATE KEY-----\nAAAA\n", "is not closed by \"-----END PRIVATE KEY-----\"");
        refused("-----BEGIN PRIVATE KEY-----\n!!!\n-----END PRIVATE KEY-----\n", "is not Base64");
        refused("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n", "RSA key after");
        refused("", "no private key found");
    }

    @Test
    void lineThatMayBeASecretIsNotRepeated() throws Exception {
        TestKeys.write("ec-sec1", folder);
        Files.writeString(folder.resolve("tls.key"), "hunter2\n");
        assertThatThrownBy(() -> KeyPairFiles.in(folder).read()).hasMessageNotContaining("hunter2");
    }

    private void refused(String keyText, String message) throws IOException {
        Files.writeString(folder.resolve("tls.key"), keyText);
        assertThatThrownBy(() -> KeyPairFiles.in(folder).read())
                .isInstanceOf(UnusableKeyPairException.class)
                .hasMessageStartingWith(folder.resolve("tls.key") + ": ")
                .hasMessageContaining(message);
    }

    @Test
    void missingFileIsNamed() {
        assertThatThrownBy(() -> KeyPairFiles.in(folder).read())
                .hasMessage(folder.resolve("tls.crt") + ": no such file");
    }

    @Test
    void keyOfAnotherCertificateIsRefused() throws Exception {
        TestKeys.write("ec-sec1", folder);
        Files.writeString(folder.resolve("tls.key"), TestKeys.keyText("ec-pkcs8"));
        assertThatThrownBy(() -> KeyPairFiles.in(folder).read())
                .hasMessageContaining("this EC key does not belong to the certificate in")
                .hasMessageContaining("CN=ec-sec1");
    }

    @Test
    void chainInTheWrongOrderIsExplained() throws Exception {
        TestKeys.write("ec-sec1", folder);
        prepend("tls.crt", TestKeys.certificateText("rsa-pkcs8"));
        assertThatThrownBy(() -> KeyPairFiles.in(folder).read())
                .hasMessageContaining("belongs to certificate 2 of 2 (CN=ec-sec1); put that one first");
    }

    @Test
    void textOfAKeyNeverShowsInItsString() {
        CertifiedKey pair = ISSUER.selfSigned(List.of("a.example"), Instant.now(), Duration.ofDays(1));
        assertThat(pair.toString()).contains("CN=a.example").doesNotContain("PRIVATE");
    }

    /** Whatever the bytes, the answer is a key or a reason: never another exception. */
    @Test
    void spoiltKeysAreReasonsNotCrashes() throws Exception {
        Random random = new Random(7);
        for (String form : List.of("rsa-pkcs1", "ec-sec1", "ed25519-pkcs8")) {
            Pem.Block block = Pem.blocks(TestKeys.keyText(form)).getFirst();
            for (int i = 0; i < 400; i++) {
                byte[] der = block.der();
                for (int hit = 0; hit <= i % 3; hit++) {
                    der[random.nextInt(Math.min(der.length, 60))] = (byte) random.nextInt();
                }
                byte[] cut = i % 5 == 0 ? Arrays.copyOf(der, random.nextInt(der.length)) : der;
                try {
                    assertThat(PrivateKeyText.parse(Pem.encode(block.label(), cut))
                                    .getEncoded())
                            .isNotEmpty();
                } catch (UnusableKeyPairException e) {
                    assertThat(e).hasMessageMatching("(?s).{10,}");
                }
            }
        }
    }

    @Test
    void pemSurvivesARoundTrip() throws Exception {
        Random random = new Random(11);
        for (int i = 0; i < 300; i++) {
            byte[] bytes = new byte[random.nextInt(500)];
            random.nextBytes(bytes);
            List<Pem.Block> blocks = Pem.blocks("x\n" + Pem.encode("A B", bytes) + "y\n" + Pem.encode("C", bytes));
            assertThat(blocks).extracting(Pem.Block::label).containsExactly("A B", "C");
            assertThat(blocks).allSatisfy(block -> assertThat(block.der()).isEqualTo(bytes));
        }
    }

    @Test
    void derLengthsAreRightAtTheirBorders() throws Exception {
        for (int length : new int[] {0, 1, 127, 128, 255, 256, 65_535, 65_536}) {
            byte[] written = Der.write(Der.OCTET_STRING, new byte[length]);
            assertThat(new Der(written).open(Der.OCTET_STRING).rest()).hasSize(length);
        }
    }

    @Test
    void keysWithoutCertificateAreNoPair() throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        assertThatThrownBy(() -> new CertifiedKey(keys.getPrivate(), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private void prepend(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text + Files.readString(folder.resolve(name)));
    }
}
