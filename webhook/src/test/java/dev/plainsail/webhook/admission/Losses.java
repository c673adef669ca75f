package dev.plainsail.webhook.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * What of the user's object is no longer there, as paths. The listed replacements, and nothing else, are let through:
 * extended resources beside a claim, the path variable with folders in front, a wrapped command, words added to a shell text,
 * the API's defaults for grace and service links, and annotations that we had copied to a template.
 */
public final class Losses {

    private static final Pattern RESOURCE =
            Pattern.compile(".*/resources/(limits|requests)/(nvidia\\.com|amd\\.com|gpu\\.intel\\.com)/.*");
    private static final Pattern API_DEFAULT =
            Pattern.compile("/spec/(terminationGracePeriodSeconds=30|enableServiceLinks=true)");
    private static final Pattern COPIED = Pattern.compile(
            ".*/(template|leaderTemplate|workerTemplate)/metadata/annotations/(plainsail\\.dev|serving\\.kserve\\.io)/[^/]*");

    private final List<String> lost = new ArrayList<>();

    private Losses() {}

    public static List<String> between(JsonNode before, JsonNode after) {
        Losses losses = new Losses();
        losses.compare("", before, after);
        return losses.lost;
    }

    private void compare(String path, JsonNode before, JsonNode after) {
        if (before.isNull() || before.equals(after)) {
            return; // null is absent for the API
        }
        if (before.isObject() && after.isObject()) {
            before.properties()
                    .forEach(field ->
                            compare(path + "/" + field.getKey(), field.getValue(), after.path(field.getKey())));
            return;
        }
        if (before.isArray() && after.isArray()) {
            elements(path, before, after);
            return;
        }
        if (!isAllowed(path, before, after)) {
            lost.add(path + "=" + before);
        }
    }

    /** Every element is there, in the same order; between them others may have come. */
    private void elements(String path, JsonNode before, JsonNode after) {
        int inserted = after.size() - before.size();
        int index = 0;
        for (int i = 0; i < before.size(); i++) {
            int best = index;
            for (int j = index; j <= i + inserted; j++) {
                if (between(before.get(i), after.path(j)).isEmpty()) {
                    best = j;
                    break;
                }
            }
            compare(path + "/" + i, before.get(i), after.path(best));
            index = best + 1;
        }
    }

    private static boolean isAllowed(String path, JsonNode before, JsonNode after) {
        if (after.isMissingNode()) {
            return RESOURCE.matcher(path).matches() || COPIED.matcher(path).matches();
        }
        if (COPIED.matcher(path).matches()
                || API_DEFAULT.matcher(path + "=" + before).matches()) {
            return true;
        }
        String text = before.asString("");
        String changed = after.asString("");
        if (path.matches(".*/env/\\d+/value") || path.equals("/value")) {
            return List.of(changed.split(":"))
                    .containsAll(List.of(text.split(":")).stream()
                            .filter(part -> !part.isEmpty())
                            .toList());
        }
        return isShellTextWithWords(text, changed);
    }

    /** The changed text is the old one with something put in at some places. */
    private static boolean isShellTextWithWords(String text, String changed) {
        if (!text.contains(" ") || changed.length() <= text.length()) {
            return false;
        }
        int at = 0;
        for (int i = 0; i < changed.length() && at < text.length(); i++) {
            if (changed.charAt(i) == text.charAt(at)) {
                at++;
            }
        }
        return at == text.length();
    }
}
