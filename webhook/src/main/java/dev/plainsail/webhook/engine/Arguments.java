package dev.plainsail.webhook.engine;

import dev.plainsail.webhook.workload.Word;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** An engine's own words, read with its flag table. Of a flag that is given twice, the last counts. */
public final class Arguments {

    /**
     * A flag that is there.
     *
     * @param spelled the word as the user wrote it, for messages
     * @param value empty for a switch
     * @param isKnown false if an expansion decides the value at run time
     * @param isFromVariable a variable of the container gives it
     */
    public record Given(String spelled, String value, boolean isKnown, boolean isFromVariable) {
        /** As a message shows it: {@code --tensor-parallel-size 2}, a switch without its value. */
        public String shown() {
            String text = value.length() > SHOWN ? value.substring(0, SHOWN) + "..." : value;
            return value.equals("true") ? spelled : spelled + " " + text;
        }

        public OptionalInt number() {
            return isKnown && value.matches("[0-9]{1,9}")
                    ? OptionalInt.of(Integer.parseInt(value))
                    : OptionalInt.empty();
        }
    }

    /** Behind it every word stands for itself. */
    static final String END_OF_FLAGS = "--";

    private static final String NEGATED = "--no-";
    private static final int SHOWN = 80;

    private final FlagTable table;
    private final Map<EngineOption, Given> given = new EnumMap<>(EngineOption.class);
    private final Set<String> names = new HashSet<>();
    private final List<Word> positional = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private final List<Word> words;
    private final boolean hasPositionalModel;
    private boolean hasOpaqueWord;

    private Arguments(List<Word> words, FlagTable table, boolean hasPositionalModel) {
        this.words = List.copyOf(words);
        this.table = table;
        this.hasPositionalModel = hasPositionalModel;
    }

    /** @param hasPositionalModel whether the engine takes the model as a word of its own, first of all */
    static Arguments read(List<Word> words, FlagTable table, boolean hasPositionalModel) {
        Arguments arguments = new Arguments(words, table, hasPositionalModel);
        arguments.read();
        if (hasPositionalModel && !arguments.positional.isEmpty()) {
            arguments.given.putIfAbsent(EngineOption.MODEL, given("the model", arguments.positional.getFirst()));
        }
        return arguments;
    }

    /** As if these words stood behind the others. */
    public Arguments plus(List<Word> more) {
        List<Word> all = new ArrayList<>(words);
        all.addAll(more);
        return read(all, table, hasPositionalModel);
    }

    private void read() {
        words.forEach(word -> texts.add(word.written()));
        int i = 0;
        boolean isBehindFlags = false;
        while (i < words.size()) {
            String text = words.get(i).text();
            if (!isBehindFlags && text.equals(END_OF_FLAGS)) {
                isBehindFlags = true;
                i++;
                continue;
            }
            if (isBehindFlags || !isFlag(text)) {
                if (text.indexOf(Word.UNKNOWN) == 0) {
                    hasOpaqueWord = true;
                } else {
                    positional.add(words.get(i));
                }
                i++;
                continue;
            }
            i = flag(i);
        }
    }

    private int flag(int at) {
        String text = words.get(at).text();
        int equals = text.indexOf('=');
        String spelled = equals < 0 ? text : text.substring(0, equals);
        String name = FlagTable.normalised(spelled);
        names.add(name);
        Optional<Flag> flag = table.spelled(name);
        if (flag.isEmpty() && name.startsWith(NEGATED)) {
            Optional<Flag> negated = table.spelled("--" + name.substring(NEGATED.length()));
            negated.ifPresent(f -> given.put(f.option(), new Given(spelled, "false", true, false)));
            return at + 1;
        }
        if (equals >= 0) {
            String value = text.substring(equals + 1);
            Word given = new Word(value, words.get(at).written());
            flag.ifPresent(f -> this.given.put(f.option(), given(spelled, given)));
            return at + 1;
        }
        if (flag.isEmpty() && table.isSwitch(name)) {
            return at + 1;
        }
        if (flag.isPresent() && flag.get().arity() == Flag.Arity.SWITCH) {
            given.put(flag.get().option(), new Given(spelled, "true", true, false));
            return at + 1;
        }
        int next = at + 1;
        if (next >= words.size() || isFlag(words.get(next).text())) {
            flag.ifPresent(f -> given.put(f.option(), new Given(spelled, "", false, false)));
            return next;
        }
        Word value = words.get(next);
        flag.ifPresent(f -> given.put(f.option(), given(spelled, value)));
        boolean isMany = flag.isPresent() && flag.get().arity() == Flag.Arity.MANY;
        next++;
        while (isMany && next < words.size() && !isFlag(words.get(next).text())) {
            next++;
        }
        return next;
    }

    private static Given given(String spelled, Word value) {
        return new Given(spelled, value.text(), value.isExact(), value.isFromVariable());
    }

    private static boolean isFlag(String text) {
        return text.length() > 1 && text.charAt(0) == '-' && !(text.charAt(1) >= '0' && text.charAt(1) <= '9');
    }

    public Optional<Given> given(EngineOption option) {
        return Optional.ofNullable(given.get(option));
    }

    public boolean has(EngineOption option) {
        return given.containsKey(option);
    }

    /** Whether a flag of that name, however spelled, is there; also for flags that the table does not know. */
    public boolean hasNamed(String name) {
        String spelled = FlagTable.normalised(name);
        String normal = spelled.startsWith(NEGATED) ? "--" + spelled.substring(NEGATED.length()) : spelled;
        return names.contains(normal)
                || (normal.startsWith("--") && names.contains(NEGATED + normal.substring(2)))
                || table.spelled(normal)
                        .map(Flag::option)
                        .map(given::containsKey)
                        .orElse(false);
    }

    /** Whether these words stand there, one after the other. */
    public boolean hasWords(List<String> words) {
        return Collections.indexOfSubList(texts, words) >= 0;
    }

    /** Some word is the result of an expansion, as {@code $EXTRA_ARGS}: flags may hide in it. */
    public boolean hasOpaqueWord() {
        return hasOpaqueWord;
    }
}
