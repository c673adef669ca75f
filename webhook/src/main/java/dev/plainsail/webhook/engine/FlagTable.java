package dev.plainsail.webhook.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The flags of one engine that matter here. Underscores count as dashes, {@code --no-x} switches {@code --x} off, and an
 * unambiguous beginning stands for the whole, since both engines parse with Python's argparse.
 */
public final class FlagTable {

    private static final int SHORTEST_ABBREVIATION = 8;

    private final List<Flag> flags;
    private final Map<String, Flag> bySpelling = new HashMap<>();
    private final Set<String> repeatable;
    private final Pattern switches;

    /** @param switches names of flags without a value that are not in the table */
    FlagTable(List<Flag> flags, Set<String> repeatable, Pattern switches) {
        this.flags = List.copyOf(flags);
        this.repeatable = Set.copyOf(repeatable);
        this.switches = switches;
        flags.forEach(flag -> flag.spellings().forEach(spelling -> bySpelling.put(spelling, flag)));
    }

    public List<Flag> flags() {
        return flags;
    }

    public Optional<Flag> flag(EngineOption option) {
        return flags.stream().filter(flag -> flag.option() == option).findFirst();
    }

    /** Whether giving it twice adds up instead of replacing. */
    public boolean isRepeatable(String name) {
        return repeatable.contains(name);
    }

    /** Whether no value follows: the next word is then one of its own, as the model. */
    boolean isSwitch(String name) {
        return switches.matcher(name).matches();
    }

    /** The flag that this word, without its {@code =value}, spells. */
    Optional<Flag> spelled(String name) {
        Flag exact = bySpelling.get(name);
        if (exact != null) {
            return Optional.of(exact);
        }
        int dot = name.indexOf('.');
        if (dot > 0) {
            // --kv-transfer-config.kv_role: one field of a JSON flag
            return Optional.ofNullable(bySpelling.get(name.substring(0, dot)));
        }
        if (!name.startsWith("--") || name.length() < SHORTEST_ABBREVIATION) {
            return Optional.empty();
        }
        List<Flag> candidates = new ArrayList<>();
        bySpelling.forEach((spelling, flag) -> {
            if (spelling.startsWith(name) && !candidates.contains(flag)) {
                candidates.add(flag);
            }
        });
        return candidates.size() == 1 ? Optional.of(candidates.getFirst()) : Optional.empty();
    }

    /** A long flag's name as argparse sees it: dashes for underscores, up to the first dot. */
    static String normalised(String name) {
        if (!name.startsWith("--")) {
            return name;
        }
        int dot = name.indexOf('.');
        String head = dot < 0 ? name : name.substring(0, dot);
        return head.replace('_', '-') + (dot < 0 ? "" : name.substring(dot));
    }
}
