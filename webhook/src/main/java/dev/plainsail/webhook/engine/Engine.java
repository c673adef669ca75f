package dev.plainsail.webhook.engine;

import dev.plainsail.webhook.workload.Word;
import java.util.List;
import java.util.Optional;

/** What there is to know about one engine. Implementations are stateless. */
public interface Engine {

    /** As in the annotation {@code engine} and in messages. */
    String name();

    /** As people write it. */
    String title();

    FlagTable flags();

    int defaultPort();

    /**
     * Where the engine starts in the words of one program call, if it does.
     *
     * @param words the whole call, wrappers included
     */
    Optional<Start> find(List<Word> words);

    /** Whether a shell text starts this engine, seen without understanding the text. */
    boolean isMentionedIn(String text);

    /**
     * @param firstOwnWord index of the first word that is the engine's argument
     * @param hasPositionalModel whether the model is a word of its own there; otherwise it is a flag's value
     */
    record Start(int firstOwnWord, boolean hasPositionalModel) {}

    /** The words that switch expert parallelism on; empty if this engine cannot take that form. */
    Optional<List<String>> expert(ExpertWish wish);

    /** {@code expert}, {@code expert=false} or {@code expert=8}. */
    sealed interface ExpertWish {
        record Switch(boolean on) implements ExpertWish {}

        record Size(int experts) implements ExpertWish {}
    }
}
