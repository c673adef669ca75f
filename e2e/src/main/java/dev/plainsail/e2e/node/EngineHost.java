package dev.plainsail.e2e.node;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes an inference engine listen on its pod's own address. An engine listens on every address unless told otherwise; in
 * a container that is the pod's, here it would be everybody's, and two engines would want one port.
 */
final class EngineHost {

    private static final Set<String> EVERYWHERE = Set.of("0.0.0.0", "::", "");
    private static final Set<String> MODULES =
            Set.of("vllm.entrypoints.openai.api_server", "vllm.entrypoints.api_server", "sglang.launch_server");
    private static final Set<String> SHELLS = Set.of("sh", "bash", "dash", "ash");
    private static final Pattern IN_SHELL_TEXT =
            Pattern.compile("(?<![\\w./-])(?:[\\w./-]*/)?(?:vllm\\s+serve|python3?\\S*\\s+-m\\s+"
                    + "(?:vllm\\.entrypoints\\.\\S*api_server|sglang\\.launch_server)|sglang\\s+serve)(?=\\s|$)");

    private EngineHost() {}

    /** The same words, with {@code --host IP} when they start an engine that would listen on every address. */
    static List<String> listenOn(String ip, List<String> words) {
        if (isEngine(words)) {
            return withHost(ip, words);
        }
        if (words.size() >= 3 && SHELLS.contains(baseName(words.getFirst()))) {
            int script = words.indexOf("-c") + 1;
            if (script > 0 && script < words.size()) {
                List<String> changed = new ArrayList<>(words);
                changed.set(script, inShellText(ip, words.get(script)));
                return changed;
            }
        }
        return words;
    }

    static boolean isEngine(List<String> words) {
        if (words.size() < 2) {
            return false;
        }
        String program = baseName(words.getFirst());
        if (program.equals("vllm") || program.equals("sglang")) {
            return words.get(1).equals("serve");
        }
        return program.startsWith("python")
                && words.size() > 2
                && words.get(1).equals("-m")
                && MODULES.contains(words.get(2));
    }

    private static List<String> withHost(String ip, List<String> words) {
        List<String> changed = new ArrayList<>();
        boolean given = false;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("--host") && i + 1 < words.size()) {
                given = true;
                i++;
                changed.add(word);
                changed.add(EVERYWHERE.contains(words.get(i)) ? ip : words.get(i));
            } else if (word.startsWith("--host=")) {
                given = true;
                changed.add(EVERYWHERE.contains(word.substring(7)) ? "--host=" + ip : word);
            } else {
                changed.add(word);
            }
        }
        if (!given) {
            changed.add("--host");
            changed.add(ip);
        }
        return changed;
    }

    private static String inShellText(String ip, String text) {
        if (text.contains("--host")) {
            return text.replaceAll("--host([= ]+)0\\.0\\.0\\.0", "--host$1" + ip);
        }
        Matcher engine = IN_SHELL_TEXT.matcher(text);
        return engine.replaceFirst(match -> Matcher.quoteReplacement(match.group() + " --host " + ip));
    }

    private static String baseName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
