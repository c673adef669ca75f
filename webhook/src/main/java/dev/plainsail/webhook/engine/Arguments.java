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
     */
    public record Given(String spelled, String value, boolean isKnown) {
        public OptionalInt number() {
            return isKnown && value.matches("[0-9]{1,9}")
                    ? OptionalInt.of(Integer.parseInt(value))
                    : OptionalInt.empty();
        }
    }

    private final FlagTable table;
    private final Map<EngineOption, Given> given = new EnumMap<>(EngineOption.class);
    private final Set<String> names = new HashSet<>();
    private final List<String> positional = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private boolean hasOpaqueWord;

    private Arguments(FlagTable table) {
        this.table = table;
    }

    /** @param hasPositionalModel whether the engine takes the model as a word of its own, first of all */
    static Arguments read(List<Word> words, FlagTable table, boolean hasPositionalModel) {
        Arguments arguments = new Arguments(table);
        arguments.read(words);
        if (hasPositionalModel && !arguments.positional.isEmpty()) {
            Word model = new Word(arguments.positional.getFirst());
            arguments.given.putIfAbsent(EngineOption.MODEL, new Given("the first word", model.text(), model.isExact()));
        }
        return arguments;
    }

    private void read(List<Word> words) {
        words.forEach(word -> texts.add(word.text()));
        int i = 0;
        while (i < words.size()) {
            String text = words.get(i).text();
            if (!isFlag(text)) {
                if (text.indexOf(Word.UNKNOWN) == 0) {
                    hasOpaqueWord = true;
                } else {
                    positional.add(text);
                }
                i++;
                continue;
            }
            i = flag(words, i);
        }
    }

    private int flag(List<Word> words, int at) {
        String text = words.get(at).text();
        int equals = text.indexOf('=');
        String spelled = equals < 0 ? text : text.substring(0, equals);
        String name = FlagTable.normalised(spelled);
        names.add(name);
        Optional<Flag> flag = table.spelled(name);
        if (flag.isEmpty() && name.startsWith("--no-")) {
            Optional<Flag> negated = table.spelled("--" + name.substring("--no-".length()));
            negated.ifPresent(f -> given.put(f.option(), new Given(spelled, "false", true)));
            return at + 1;
        }
        if (equals >= 0) {
            String value = text.substring(equals + 1);
            flag.ifPresent(f -> given.put(f.option(), new Given(spelled, value, new Word(value).isExact())));
            return at + 1;
        }
        if (flag.isPresent() && flag.get().arity() == Flag.Arity.SWITCH) {
            given.put(flag.get().option(), new Given(spelled, "true", true));
            return at + 1;
        }
        int next = at + 1;
        if (next >= words.size() || isFlag(words.get(next).text())) {
            flag.ifPresent(f -> given.put(f.option(), new Given(spelled, "", false)));
            return next;
        }
        Word value = words.get(next);
        flag.ifPresent(f -> given.put(f.option(), new Given(spelled, value.text(), value.isExact())));
        boolean isMany = flag.isPresent() && flag.get().arity() == Flag.Arity.MANY;
        next++;
        while (isMany && next < words.size() && !isFlag(words.get(next).text())) {
            next++;
        }
        return next;
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
        String normal = FlagTable.normalised(name);
        return names.contains(normal)
                || names.contains("--no-" + normal.replaceFirst("^--", ""))
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
