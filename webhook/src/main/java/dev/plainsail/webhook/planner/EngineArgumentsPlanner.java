package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.EngineCommand;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Planner;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.ShellQuote;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.workload.ContainerView;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Everything that is said to the engine on its command line, and the variables that go with it. */
final class EngineArgumentsPlanner implements Planner {

    private static final List<ArgumentSource> SOURCES = List.of(
            new ModelArguments(),
            new ParallelismArguments(),
            new GroupArguments(),
            new PortArguments(),
            new KvTransferArguments(),
            new KvEventsArguments(),
            new ExtraArguments());

    @Override
    public List<Change> plan(Subject subject, Problems problems) {
        if (subject.main().isEmpty()
                || subject.engine().isEmpty()
                || subject.command().isEmpty()) {
            return List.of();
        }
        ContainerView container = subject.main().get();
        Offers offers = new Offers(subject, subject.engine().get(), container, problems);
        SOURCES.forEach(source -> source.offer(subject, offers));
        List<Change> changes = new ArrayList<>();
        switch (subject.command().get()) {
            case EngineCommand.Understood understood -> {
                if (!offers.model().isEmpty()) {
                    boolean isOwnWord = understood.hasPositionalModel();
                    changes.add(new Change.AddArguments(
                            container.place(),
                            isOwnWord ? understood.modelSlot() : understood.endSlot(),
                            offers.model(),
                            isOwnWord ? understood.imageCommand() : List.of()));
                }
                if (!offers.words().isEmpty()) {
                    changes.add(new Change.AddArguments(
                            container.place(), understood.endSlot(), offers.words(), understood.imageCommand()));
                }
            }
            case EngineCommand.Opaque(String why) -> warn(container, offers, why, problems);
        }
        changes.addAll(offers.variables());
        return changes;
    }

    private static void warn(ContainerView container, Offers offers, String why, Problems problems) {
        List<String> words = new ArrayList<>(offers.model());
        words.addAll(offers.words());
        if (words.isEmpty()) {
            return;
        }
        problems.warnField(
                Caution.COMMAND_NOT_UNDERSTOOD,
                container.path(),
                "is left alone, because " + why + "; add these arguments by hand: "
                        + words.stream().map(ShellQuote::quoted).collect(Collectors.joining(" ")));
    }
}
