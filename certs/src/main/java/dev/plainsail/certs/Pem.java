package dev.plainsail.certs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** Text in PEM form: blocks between BEGIN and END lines; whatever stands outside them is ignored, as RFC 7468 allows. */
final class Pem {
    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";

    private Pem() {}

    static final class Block {
        private final String label;
        private final byte[] der;

        Block(String label, byte[] der) {
            this.label = label;
            this.der = der;
        }

        String label() {
            return label;
        }

        String header() {
            return BEGIN + label + DASHES;
        }

        byte[] der() {
            return der.clone();
        }

        @Override
        public String toString() {
            return header() + " (" + der.length + " bytes)";
        }
    }

    /** All blocks in order. A block without END, with another END label or with broken Base64 is a mistake. */
    static List<Block> blocks(String text) throws UnusableKeyPairException {
        List<Block> blocks = new ArrayList<>();
        List<String> lines = text.lines().map(String::strip).toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (!line.startsWith(BEGIN) || !line.endsWith(DASHES) || line.length() < BEGIN.length() + DASHES.length()) {
                continue;
            }
            String label = line.substring(BEGIN.length(), line.length() - DASHES.length());
            int end = i + 1;
            while (end < lines.size() && !lines.get(end).startsWith(END)) {
                end++;
            }
            if (end == lines.size() || !lines.get(end).equals(END + label + DASHES)) {
                throw new UnusableKeyPairException(
                        "\"" + line + "\" is not closed by \"" + END + label + DASHES + "\"");
            }
            blocks.add(new Block(label, decode(line, lines.subList(i + 1, end))));
            i = end;
        }
        return blocks;
    }

    private static byte[] decode(String header, List<String> lines) throws UnusableKeyPairException {
        if (lines.stream().anyMatch(line -> line.startsWith("Proc-Type:") && line.contains("ENCRYPTED"))) {
            throw new UnusableKeyPairException(
                    "\"" + header + "\" holds an encrypted key (Proc-Type: 4,ENCRYPTED); write it without a password");
        }
        String base64 = String.join(
                "", lines.stream().filter(line -> !line.contains(":")).toList());
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new UnusableKeyPairException("the text after \"" + header + "\" is not Base64: " + e.getMessage(), e);
        }
    }

    /** One block, lines of 64 characters, closed by a newline. */
    static String encode(String label, byte[] der) {
        byte[] copy = Arrays.copyOf(der, der.length);
        return BEGIN + label + DASHES + "\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(copy)
                + "\n" + END + label + DASHES + "\n";
    }
}
