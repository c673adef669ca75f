package dev.plainsail.webhook.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** How a container is started, as far as the pod tells. */
public sealed interface CommandLine {

    Set<String> SHELLS = Set.of("sh", "bash", "ash", "dash", "zsh", "ksh");

    /** {@code command} and {@code args}, which the kernel gets as they are. */
    record Listed(List<String> words, int commandWords, int from) implements CommandLine {
        /** The words from where the real program starts, behind a wrapper that passes its words on. */
        public List<Word> programWords(ContainerView container) {
            return words.subList(from, words.size()).stream()
                    .map(word -> Variables.resolved(word, container))
                    .toList();
        }

        /** The place before that program word. */
        public Slot slot(int programWord) {
            int index = from + programWord;
            return index < commandWords
                    ? new Slot.Before("command", index)
                    : new Slot.Before("args", index - commandWords);
        }
    }

    /** No {@code command}: the image's own entrypoint, then {@code args} (or the image's own, if there are none). */
    record ImageEntrypoint(List<String> args) implements CommandLine {}

    /**
     * A shell with a text to run.
     *
     * @param field {@code command} or {@code args}, where the text stands
     */
    record Shell(String text, String field, int index) implements CommandLine {}

    /** Scripts that run the words behind them: everything up to the last command may prepare what it likes. */
    Pattern PASSES_WORDS_ON = Pattern.compile("(?s)(?:.*[;\\n&]\\s*)?exec\\s+(\"\\$0\"\\s+)?\"\\$@\"\\s*");

    static CommandLine of(ContainerView container) {
        List<String> command = container.command();
        if (command.isEmpty()) {
            return new ImageEntrypoint(container.args());
        }
        List<String> words = new ArrayList<>(command);
        words.addAll(container.args());
        return scriptIndex(words)
                .map(index -> shell(words, command.size(), index))
                .orElseGet(() -> new Listed(words, command.size(), 0));
    }

    /** Whether the first word of {@code command} is a shell, which proves that the image has one. */
    static Optional<String> shellOf(ContainerView container) {
        return container.command().stream().findFirst().filter(word -> SHELLS.contains(new Word(word).baseName()));
    }

    private static CommandLine shell(List<String> words, int commandWords, int index) {
        var passing = PASSES_WORDS_ON.matcher(words.get(index));
        if (passing.matches()) {
            int from = index + (passing.group(1) == null ? 2 : 1);
            if (from < words.size()) {
                List<String> rest = words.subList(from, words.size());
                return scriptIndex(rest)
                        .map(inner -> shell(words, commandWords, from + inner))
                        .orElseGet(() -> new Listed(words, commandWords, from));
            }
        }
        return index < commandWords
                ? new Shell(words.get(index), "command", index)
                : new Shell(words.get(index), "args", index - commandWords);
    }

    /** Where the text behind {@code sh -c} is; options as {@code -lc}, {@code -eo pipefail -c} are followed. */
    private static Optional<Integer> scriptIndex(List<String> words) {
        if (!SHELLS.contains(new Word(words.getFirst()).baseName())) {
            return Optional.empty();
        }
        boolean runsText = false;
        for (int i = 1; i < words.size(); i++) {
            String word = words.get(i);
            if (word.startsWith("--")) {
                continue;
            }
            if (word.startsWith("-") || word.startsWith("+")) {
                runsText |= word.startsWith("-") && word.indexOf('c') > 0;
                i += word.indexOf('o') > 0 ? 1 : 0;
                continue;
            }
            return runsText ? Optional.of(i) : Optional.empty();
        }
        return Optional.empty();
    }
}
