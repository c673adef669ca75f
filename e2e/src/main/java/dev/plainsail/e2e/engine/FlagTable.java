package dev.plainsail.e2e.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/** The flags that a program accepts, by every spelling. vLLM's and SGLang's are read from lists that their own parsers printed. */
final class FlagTable {
    /** How many values a flag takes. */
    enum Kind {
        FLAG,
        NOT,
        ONE,
        MAYBE,
        SOME,
        MANY
    }

    /**
     * One flag.
     *
     * @param name its first spelling, without the dashes
     * @param shown all its spellings, as argparse names it in messages
     * @param numeric whether its value must be a whole number
     * @param choices the values it takes; empty for any
     */
    record Flag(String name, String shown, Kind kind, boolean numeric, List<String> choices) {}

    private final Map<String, Flag> bySpelling = new LinkedHashMap<>();
    private final boolean underscores;
    private final int positionals;

    private FlagTable(boolean underscores, int positionals) {
        this.underscores = underscores;
        this.positionals = positionals;
    }

    /** How many words that belong to no flag are taken. */
    int positionals() {
        return positionals;
    }

    /** Whether an underscore in a flag stands for a dash. */
    boolean underscores() {
        return underscores;
    }

    /** vLLM's flags, and beside them ours, which all begin with {@code --sim-} and take one value. */
    static FlagTable vllm(List<String> own) {
        return read("vllm-flags.tsv", new FlagTable(true, 1), own);
    }

    /** SGLang's flags, and beside them ours. Unlike vLLM it takes no underscores for dashes. */
    static FlagTable sglang(List<String> own) {
        return read("sglang-flags.tsv", new FlagTable(false, 0), own);
    }

    private static FlagTable read(String resource, FlagTable table, List<String> own) {
        try (InputStream in = Objects.requireNonNull(FlagTable.class.getResourceAsStream(resource))) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(table::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        own.forEach(name -> table.add("--" + name + "\tone\t\t"));
        return table;
    }

    private void add(String line) {
        String[] columns = line.split("\t", -1);
        String[] spellings = columns[0].split(",");
        Kind kind = Kind.valueOf(columns[1].toUpperCase(Locale.ROOT));
        List<String> choices = columns[3].isEmpty() ? List.of() : List.of(columns[3].split(","));
        List<String> all = new ArrayList<>();
        for (String spelling : spellings) {
            all.add(spelling);
            if (kind == Kind.NOT && spelling.startsWith("--")) {
                all.add("--no-" + spelling.substring(2));
            }
        }
        String name = spellings[0].replaceFirst("^-+", "");
        Flag flag = new Flag(name, String.join("/", all), kind, columns[2].equals("int"), choices);
        all.forEach(spelling -> bySpelling.put(spelling, flag));
    }

    Optional<Flag> find(String spelling) {
        return Optional.ofNullable(bySpelling.get(spelling));
    }

    /** Long spellings that begin so, as Python's argparse lets a user shorten them. */
    List<String> startingWith(String prefix) {
        return prefix.startsWith("--")
                ? new ArrayList<>(new TreeSet<>(bySpelling.keySet().stream()
                        .filter(s -> s.startsWith(prefix))
                        .toList()))
                : List.of();
    }
}
