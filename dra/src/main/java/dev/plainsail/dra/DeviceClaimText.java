package dev.plainsail.dra;

import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * Reads what a user writes to ask for devices, in either of two forms: the short text
 * ({@code gpu.nvidia.com x2 where <CEL>}), or the {@code devices} object of a v1 ResourceClaim as YAML or JSON.
 * Never throws for a text, however odd; all mistakes are reported together, as far as they are independent.
 */
public final class DeviceClaimText {

    private static final Pattern YAML = Pattern.compile(
            "\\A(?:[ \\t]*(?:#[^\\n]*|---[ \\t]*(?:#[^\\n]*)?)?\\r?\\n)*(?:(?:requests|constraints|config)\\s*:|\\s*\\{|\\s*-(?:\\s|$))");

    private DeviceClaimText() {}

    public static ParsedClaim parse(String text) {
        if (YAML.matcher(text).lookingAt()) {
            return YamlClaim.parse(text);
        }
        return new ShortText(text).parse();
    }

    /** Reads {@link DeviceClaim#canonical()} back; strict, since nobody writes that form by hand. */
    public static ParsedClaim parseCanonical(String json) {
        JsonNode tree;
        try {
            tree = ClaimJson.MAPPER.readTree(json);
        } catch (JacksonException e) {
            return new ParsedClaim.Refused(List.of(new ClaimProblem("", json, "is not JSON")));
        }
        ParsedClaim parsed = new ClaimReader().read(tree);
        if (parsed instanceof ParsedClaim.Accepted(DeviceClaim claim, boolean ignored)
                && !claim.canonical().equals(json)) {
            return new ParsedClaim.Refused(
                    List.of(new ClaimProblem("", json, "is not in canonical form, which is: " + claim.canonical())));
        }
        return parsed;
    }
}
