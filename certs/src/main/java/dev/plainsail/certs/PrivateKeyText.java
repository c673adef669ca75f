package dev.plainsail.certs;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Private keys as cert-manager, openssl and Go write them: PKCS#8, PKCS#1 (RSA), SEC1 (EC).
 * The JDK reads PKCS#8 only, so the bare forms are wrapped; nothing is decrypted.
 */
final class PrivateKeyText {
    private static final byte[] VERSION_0 = {Der.INTEGER, 1, 0};
    /** 1.2.840.113549.1.1.1 with NULL parameters. */
    private static final byte[] RSA = HexFormat.of().parseHex("300d06092a864886f70d0101010500");
    /** 1.2.840.10045.2.1, to be followed by the curve. */
    private static final byte[] EC = HexFormat.of().parseHex("06072a8648ce3d0201");

    private static final int EC_PARAMETERS = 0xa0;
    private static final String HOW =
            "; wanted is \"-----BEGIN PRIVATE KEY-----\" (PKCS#8), \"-----BEGIN RSA PRIVATE KEY-----\" or"
                    + " \"-----BEGIN EC PRIVATE KEY-----\"";

    private PrivateKeyText() {}

    static PrivateKey parse(String text) throws UnusableKeyPairException {
        List<Pem.Block> blocks = Pem.blocks(text);
        Optional<Pem.Block> found = blocks.stream()
                .filter(block -> block.label().endsWith("PRIVATE KEY"))
                .findFirst();
        if (found.isEmpty()) {
            String first = text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .findFirst()
                    .orElse("");
            // Only a PEM header is repeated: any other line might be part of a secret.
            String what =
                    first.startsWith("-----BEGIN ") ? "it starts with \"" + first + "\"" : "it has no such PEM header";
            throw new UnusableKeyPairException("no private key found, " + what + HOW);
        }
        Pem.Block block = found.get();
        return switch (block.label()) {
            case "PRIVATE KEY" -> fromPkcs8(block, block.der());
            case "RSA PRIVATE KEY" ->
                fromPkcs8(block, Der.write(Der.SEQUENCE, VERSION_0, RSA, Der.write(Der.OCTET_STRING, block.der())));
            case "EC PRIVATE KEY" -> fromPkcs8(block, wrapEc(block, blocks));
            case "ENCRYPTED PRIVATE KEY" ->
                throw new UnusableKeyPairException(
                        "\"" + block.header()
                                + "\" is encrypted; write it without a password, e.g. openssl pkcs8 -in tls.key -out plain.key");
            case "OPENSSH PRIVATE KEY" ->
                throw new UnusableKeyPairException("\"" + block.header()
                        + "\" is OpenSSH's own form; convert it: ssh-keygen -p -m PEM -f tls.key");
            default -> throw new UnusableKeyPairException("\"" + block.header() + "\" cannot be served" + HOW);
        };
    }

    private static byte[] wrapEc(Pem.Block block, List<Pem.Block> blocks) throws UnusableKeyPairException {
        Der key = new Der(block.der()).open(Der.SEQUENCE);
        key.open(Der.INTEGER);
        key.open(Der.OCTET_STRING);
        byte[] curve;
        if (key.hasMore() && key.peekTag() == EC_PARAMETERS) {
            curve = key.open(EC_PARAMETERS).rest();
        } else {
            curve = blocks.stream()
                    .filter(other -> other.label().equals("EC PARAMETERS"))
                    .findFirst()
                    .map(Pem.Block::der)
                    .orElseThrow(() -> new UnusableKeyPairException("\"" + block.header()
                            + "\" does not name its curve; convert it: openssl pkcs8 -topk8 -nocrypt"));
        }
        return Der.write(
                Der.SEQUENCE, VERSION_0, Der.write(Der.SEQUENCE, EC, curve), Der.write(Der.OCTET_STRING, block.der()));
    }

    private static PrivateKey fromPkcs8(Pem.Block block, byte[] pkcs8) throws UnusableKeyPairException {
        String algorithm = algorithm(block, pkcs8);
        try {
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
        } catch (GeneralSecurityException e) {
            throw new UnusableKeyPairException(
                    "the " + algorithm + " key after \"" + block.header() + "\" cannot be read: " + e.getMessage(), e);
        }
    }

    private static String algorithm(Pem.Block block, byte[] pkcs8) throws UnusableKeyPairException {
        Der outer = new Der(pkcs8).open(Der.SEQUENCE);
        outer.open(Der.INTEGER);
        String oid = HexFormat.of()
                .formatHex(outer.open(Der.SEQUENCE).open(Der.OBJECT_IDENTIFIER).rest());
        return switch (oid) {
            case "2a864886f70d010101" -> "RSA";
            case "2a864886f70d01010a" -> "RSASSA-PSS";
            case "2a8648ce3d0201" -> "EC";
            case "2b6570", "2b6571" -> "EdDSA";
            default ->
                throw new UnusableKeyPairException("the key after \"" + block.header()
                        + "\" is of a kind that TLS does not serve (object identifier " + oid
                        + "); use RSA, EC P-256/P-384/P-521 or Ed25519");
        };
    }
}
