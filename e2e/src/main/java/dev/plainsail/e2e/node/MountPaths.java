package dev.plainsail.e2e.node;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a container's mounts really are. A process has no mount namespace, so a mount path that stands in its command,
 * arguments, variables or ConfigMap text, whole or as the beginning of a longer path, is replaced by the volume's folder.
 */
final class MountPaths {

    static final MountPaths NONE = new MountPaths(Map.of());

    private final Map<String, Path> folders;
    private final Pattern anyMount;

    /** @param mounts from mount path to folder */
    MountPaths(Map<String, Path> mounts) {
        this.folders =
                new TreeMap<>(Comparator.comparingInt(String::length).reversed().thenComparing(String::compareTo));
        mounts.forEach((path, folder) -> {
            String clean = path.replaceAll("/+$", "");
            if (clean.length() > 1) {
                folders.put(clean, folder);
            }
        });
        String longestFirst = folders.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|"));
        this.anyMount = Pattern.compile("(?<![A-Za-z0-9_./~-])(" + longestFirst + ")(?![A-Za-z0-9_.~-])");
    }

    String replace(String text) {
        if (folders.isEmpty()) {
            return text;
        }
        return anyMount.matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(String.valueOf(folders.get(match.group(1)))));
    }

    List<String> replace(List<String> texts) {
        return texts.stream().map(this::replace).toList();
    }
}
