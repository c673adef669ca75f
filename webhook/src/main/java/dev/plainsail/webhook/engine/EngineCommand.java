package dev.plainsail.webhook.engine;

import dev.plainsail.webhook.workload.CommandLine;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.ShellText;
import dev.plainsail.webhook.workload.ShellText.ShellWord;
import dev.plainsail.webhook.workload.Slot;
import dev.plainsail.webhook.workload.Variables;
import dev.plainsail.webhook.workload.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/** How one container calls one engine: what it is told already, and where more can be said. */
public sealed interface EngineCommand {

    /** Everything is understood. */
    record Understood(
            Arguments arguments, boolean hasPositionalModel, Slot modelSlot, Slot endSlot, List<String> imageCommand)
            implements EngineCommand {
        public Understood {
            imageCommand = List.copyOf(imageCommand);
        }
    }

    /** The engine is there, but its words cannot be reached; {@code why} completes "because ...". */
    record Opaque(String why) implements EngineCommand {}

    /** Looks for this engine in the container; empty if nothing there names it. */
    static Optional<EngineCommand> find(Engine engine, ContainerView container, Optional<KnownImage> image) {
        return switch (CommandLine.of(container)) {
            case CommandLine.Listed listed -> listed(engine, listed, container);
            case CommandLine.ImageEntrypoint entrypoint -> entrypoint(engine, entrypoint.args(), container, image);
            case CommandLine.Shell shell -> shell(engine, shell);
        };
    }

    private static Optional<EngineCommand> listed(Engine engine, CommandLine.Listed listed, ContainerView container) {
        List<Word> words = listed.programWords(container);
        return engine.find(words)
                .map(start -> understood(engine, start, words, listed::slot, new Slot.ArgsEnd(), List.of()));
    }

    private static Optional<EngineCommand> entrypoint(
            Engine engine, List<String> args, ContainerView container, Optional<KnownImage> image) {
        if (!args.isEmpty() && args.getFirst().equals("serve") && isOwn(engine, image)) {
            // The image's entrypoint is the bare program, and the subcommand stands in args.
            List<Word> words = words(List.of(engine.name()), args, container);
            return engine.find(words)
                    .map(start -> understood(
                            engine,
                            start,
                            words,
                            word -> new Slot.Before("args", word - 1),
                            new Slot.ArgsEnd(),
                            List.of()));
        }
        if (image.isEmpty() || !image.get().engine().equals(engine.name())) {
            return Optional.empty();
        }
        List<String> own = args.isEmpty() ? image.get().command() : args;
        List<Word> words = words(image.get().entrypoint(), own, container);
        List<String> copied = args.isEmpty() ? image.get().command() : List.of();
        int entrypointWords = image.get().entrypoint().size();
        return engine.find(words)
                .map(start -> understood(
                        engine,
                        start,
                        words,
                        word -> new Slot.Before("args", Math.max(0, word - entrypointWords)),
                        new Slot.ArgsEnd(),
                        copied));
    }

    /** {@code serve} as the first argument of an image that nobody knows can only be vLLM's. */
    private static boolean isOwn(Engine engine, Optional<KnownImage> image) {
        return image.map(known -> known.engine().equals(engine.name()))
                .orElseGet(() -> engine.name().equals("vllm"));
    }

    private static Optional<EngineCommand> shell(Engine engine, CommandLine.Shell shell) {
        if (!engine.isMentionedIn(shell.text())) {
            return Optional.empty();
        }
        Optional<List<List<ShellWord>>> commands = ShellText.commands(shell.text());
        if (commands.isEmpty()) {
            return Optional.of(new Opaque("its shell text has a here-document or an open quote"));
        }
        List<EngineCommand> found = new ArrayList<>();
        for (List<ShellWord> command : commands.get()) {
            List<Word> words = command.stream().map(ShellWord::word).toList();
            engine.find(words).ifPresent(start -> {
                IntFunction<Slot> behind = word -> new Slot.InShellText(
                        shell.field(), shell.index(), command.get(word - 1).end());
                found.add(understood(engine, start, words, behind, behind.apply(words.size()), List.of()));
            });
        }
        if (found.size() == 1) {
            return Optional.of(found.getFirst());
        }
        return Optional.of(new Opaque(
                found.isEmpty()
                        ? "its shell text starts " + engine.title() + " in a way that is not understood"
                        : "its shell text starts " + engine.title() + " in several places"));
    }

    /**
     * @param before the place before a word
     * @param end the place behind all words
     */
    private static EngineCommand understood(
            Engine engine,
            Engine.Start start,
            List<Word> words,
            IntFunction<Slot> before,
            Slot end,
            List<String> imageCommand) {
        int first = start.firstOwnWord();
        List<Word> own = words.subList(first, words.size());
        Arguments arguments = Arguments.read(own, engine.flags(), start.hasPositionalModel());
        int endOfFlags = own.stream().map(Word::text).toList().indexOf(Arguments.END_OF_FLAGS);
        if (endOfFlags == own.size() - 1 && endOfFlags >= 0) {
            return new Opaque("its words end with `--`");
        }
        return new Understood(
                arguments,
                start.hasPositionalModel(),
                before.apply(first),
                endOfFlags < 0 ? end : before.apply(first + endOfFlags),
                imageCommand);
    }

    private static List<Word> words(List<String> first, List<String> rest, ContainerView container) {
        List<Word> words = new ArrayList<>();
        first.forEach(word -> words.add(new Word(word)));
        rest.forEach(word -> words.add(Variables.resolved(word, container)));
        return words;
    }
}
