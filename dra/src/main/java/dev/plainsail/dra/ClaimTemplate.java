package dev.plainsail.dra;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import tools.jackson.databind.node.ObjectNode;

/**
 * The ResourceClaimTemplate of a claim. Its name says its content, so one that exists is either right or not ours;
 * nothing is ever changed in place.
 */
public final class ClaimTemplate {

    public static final String MANAGED_BY_LABEL = "app.kubernetes.io/managed-by";
    public static final String MANAGED_BY = "plainsail";
    /** On generated claims: the template's name, for cost tools. */
    public static final String TEMPLATE_LABEL = "plainsail.dev/claim-template";

    private static final String PREFIX = "plainsail-";
    private static final int HASH_CHARACTERS = 12;
    private static final int NAME_LIMIT = 63;
    private static final String BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

    private ClaimTemplate() {}

    static String nameOf(DeviceClaim claim) {
        int room = NAME_LIMIT - PREFIX.length() - 1 - HASH_CHARACTERS;
        String className = claim.mainClass().replace('.', '-');
        String shortened = className.substring(0, Math.min(room, className.length()));
        while (shortened.endsWith("-")) {
            shortened = shortened.substring(0, shortened.length() - 1);
        }
        return PREFIX + shortened + "-" + hash(claim.canonical());
    }

    /** The {@code resource.k8s.io/v1} object as it is created. */
    public static ObjectNode manifest(DeviceClaim claim, String namespace) {
        ObjectNode template = ClaimJson.NODES.objectNode();
        template.put("apiVersion", "resource.k8s.io/v1");
        template.put("kind", "ResourceClaimTemplate");
        ObjectNode metadata = template.putObject("metadata");
        metadata.put("name", claim.templateName());
        metadata.put("namespace", namespace);
        metadata.putObject("labels").put(MANAGED_BY_LABEL, MANAGED_BY);
        ObjectNode spec = template.putObject("spec");
        ObjectNode claimLabels = spec.putObject("metadata").putObject("labels");
        claimLabels.put(MANAGED_BY_LABEL, MANAGED_BY);
        claimLabels.put(TEMPLATE_LABEL, claim.templateName());
        spec.putObject("spec").set("devices", ClaimJson.tree(claim));
        return template;
    }

    /** 60 bits: two of a million different claims in one namespace collide with probability below one in a million. */
    private static String hash(String canonical) {
        byte[] digest;
        try {
            digest = MessageDigest.getInstance("SHA-256").digest(canonical.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
        StringBuilder text = new StringBuilder();
        for (int bit = 0; text.length() < HASH_CHARACTERS; bit += 5) {
            int pair = (digest[bit / 8] & 0xff) << 8 | (digest[bit / 8 + 1] & 0xff);
            text.append(BASE32.charAt(pair >> (11 - bit % 8) & 31));
        }
        return text.toString();
    }
}
