package dev.plainsail.e2e.engine;

import dev.plainsail.e2e.engine.FlagTable.Flag;
import dev.plainsail.e2e.engine.FlagTable.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A command line cut into flags and positional words, as Python's argparse and vLLM's extensions of it do: {@code --x=v}, {@code --x v},
 * {@code -tp v}, {@code -tp=v}, underscores for dashes, unique beginnings, {@code --no-x}, dotted keys of JSON values, {@code -O3}. Pure.
 *
 * @param values by flag name, and by name and dotted key where one was given; a flag without value has "true", its {@code --no-} form "false"; the last spelling of a flag wins
 * @param problem the first mistake, worded as argparse does
 */
record CommandLine(Map<String, List<String>> values, List<String> positional, Optional<String> problem) {
    private static final Pattern NEGATIVE_NUMBER = Pattern.compile("-\\d+|-\\d*\\.\\d+");
    private static final Pattern LONG = Pattern.compile("(--[^=.]+)((?:\\.[^=]*)?)(=.*)?", Pattern.DOTALL);

    /** A flag that stands in the line, the dotted key behind its name, and the value after its equals sign if there is one. */
    private record Found(Flag flag, boolean negated, String key, Optional<String> attached) {}

    static CommandLine parse(FlagTable table, List<String> words) {
        return new Parser(table, words).parse();
    }

    Optional<String> last(String name) {
        return Optional.ofNullable(values.get(name)).map(List::getLast);
    }

    List<String> all(String name) {
        return values.getOrDefault(name, List.of());
    }

    private static final class Parser {
        private final FlagTable table;
        private final List<String> words;
        private final Map<String, List<String>> values = new LinkedHashMap<>();
        private final List<String> positional = new ArrayList<>();
        private final List<String> unknown = new ArrayList<>();
        private int at;

        Parser(FlagTable table, List<String> words) {
            this.table = table;
            this.words = words;
        }

        CommandLine parse() {
            Optional<String> problem = Optional.empty();
            while (at < words.size() && problem.isEmpty()) {
                problem = word(words.get(at++));
            }
            if (problem.isEmpty() && !unknown.isEmpty()) {
                problem = Optional.of("unrecognized arguments: " + String.join(" ", unknown));
            }
            return new CommandLine(values, positional, problem);
        }

        private Optional<String> word(String word) {
            if (word.equals("--")) {
                words.subList(at, words.size()).forEach(this::positional);
                at = words.size();
                return Optional.empty();
            }
            if (!looksLikeFlag(word)) {
                positional(word);
                return Optional.empty();
            }
            List<String> candidates = new ArrayList<>();
            Optional<Found> found = find(word, candidates);
            if (found.isEmpty() && candidates.size() > 1) {
                return Optional.of("ambiguous option: " + word.replaceFirst("=.*", "") + " could match "
                        + String.join(", ", candidates));
            }
            if (found.isEmpty()) {
                unknown.add(word);
                return Optional.empty();
            }
            return take(found.get());
        }

        private void positional(String word) {
            (positional.size() < table.positionals() ? positional : unknown).add(word);
        }

        private static boolean looksLikeFlag(String word) {
            return word.length() > 1
                    && word.startsWith("-")
                    && !NEGATIVE_NUMBER.matcher(word).matches()
                    && (word.startsWith("--") ? !word.replaceFirst("=.*", "").contains(" ") : !word.contains(" "));
        }

        private Optional<Found> find(String word, List<String> candidates) {
            if (word.startsWith("-O") && word.length() > 2) {
                String level = word.substring(word.charAt(2) == '=' ? 3 : 2);
                return table.find("--optimization-level").map(f -> new Found(f, false, "", Optional.of(level)));
            }
            Matcher matcher = LONG.matcher(word);
            if (!word.startsWith("--") || !matcher.matches()) {
                int equals = word.indexOf('=');
                String name = equals < 0 ? word : word.substring(0, equals);
                return table.find(name)
                        .map(f -> new Found(
                                f, false, "", equals < 0 ? Optional.empty() : Optional.of(word.substring(equals + 1))));
            }
            String name = table.underscores() ? matcher.group(1).replace('_', '-') : matcher.group(1);
            Optional<String> attached = Optional.ofNullable(matcher.group(3)).map(v -> v.substring(1));
            Optional<Flag> flag = table.find(name);
            if (flag.isEmpty()) {
                candidates.addAll(table.startingWith(name));
                if (candidates.size() == 1) {
                    name = candidates.getFirst();
                    flag = table.find(name);
                }
            }
            boolean negated = name.startsWith("--no-")
                    && flag.isPresent()
                    && flag.get().kind() == Kind.NOT
                    && !flag.get().name().startsWith("no-");
            return flag.map(f -> new Found(f, negated, matcher.group(2), attached));
        }

        private Optional<String> take(Found found) {
            Flag flag = found.flag();
            String shown = "argument " + flag.shown();
            List<String> taken = new ArrayList<>();
            switch (flag.kind()) {
                case FLAG, NOT -> {
                    if (found.attached().isPresent()) {
                        return Optional.of(shown + ": ignored explicit argument '"
                                + found.attached().get() + "'");
                    }
                    taken.add(found.negated() ? "false" : "true");
                }
                case ONE, MAYBE -> {
                    found.attached().ifPresentOrElse(taken::add, () -> following(taken, 1));
                    if (taken.isEmpty() && flag.kind() == Kind.ONE) {
                        return Optional.of(shown + ": expected one argument");
                    }
                }
                case SOME, MANY -> {
                    found.attached().ifPresentOrElse(taken::add, () -> following(taken, Integer.MAX_VALUE));
                    if (taken.isEmpty() && flag.kind() == Kind.SOME) {
                        return Optional.of(shown + ": expected at least one argument");
                    }
                }
            }
            values.put(flag.name() + found.key(), List.copyOf(taken));
            return taken.stream().flatMap(v -> check(flag, shown, v).stream()).findFirst();
        }

        private void following(List<String> into, int limit) {
            while (at < words.size() && into.size() < limit && !looksLikeFlag(words.get(at))) {
                into.add(words.get(at++));
            }
        }

        private static Optional<String> check(Flag flag, String shown, String value) {
            if (flag.numeric() && !value.matches("[+-]?\\d+")) {
                return Optional.of(shown + ": invalid int value: '" + value + "'");
            }
            if (!flag.choices().isEmpty() && !flag.choices().contains(value)) {
                return Optional.of(shown + ": invalid choice: '" + value + "' (choose from '"
                        + String.join("', '", flag.choices()) + "')");
            }
            return Optional.empty();
        }
    }
}
