package dev.plainsail.webhook.planner;

import dev.plainsail.webhook.engine.Arguments;
import dev.plainsail.webhook.engine.Arguments.Given;
import dev.plainsail.webhook.engine.Engine;
import dev.plainsail.webhook.engine.EngineOption;
import dev.plainsail.webhook.engine.Flag;
import dev.plainsail.webhook.plan.Caution;
import dev.plainsail.webhook.plan.Change;
import dev.plainsail.webhook.plan.Problems;
import dev.plainsail.webhook.plan.Reason;
import dev.plainsail.webhook.plan.Subject;
import dev.plainsail.webhook.plan.Written;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.ContainerView.Variable;
import dev.plainsail.webhook.workload.Variables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Collects what is offered to one engine and settles it with what the user wrote: what is there stays; an annotation's own
 * value that contradicts it is refused; a value that we derived gives way with a warning.
 */
final class Offers {

    private final Engine engine;
    private final Optional<Arguments> arguments;
    private final ContainerView container;
    private final Problems problems;
    private final List<String> model = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private final List<Change> variables = new ArrayList<>();

    Offers(Subject subject, Engine engine, ContainerView container, Problems problems) {
        this.engine = engine;
        this.arguments = subject.arguments();
        this.container = container;
        this.problems = problems;
    }

    Engine engine() {
        return engine;
    }

    Problems problems() {
        return problems;
    }

    List<String> model() {
        return model;
    }

    List<String> words() {
        return words;
    }

    List<Change> variables() {
        return variables;
    }

    boolean has(EngineOption option) {
        return arguments.map(given -> given.has(option)).orElse(false);
    }

    Optional<Given> given(EngineOption option) {
        return arguments.flatMap(found -> found.given(option));
    }

    boolean hasNamed(String name) {
        return arguments.map(given -> given.hasNamed(name)).orElse(false)
                || words.stream().anyMatch(word -> word.equals(name) || word.startsWith(name + "="));
    }

    /** A value that the annotation says in so many words. */
    void written(EngineOption option, String value, Written written) {
        written(option, value, written, String::equals);
    }

    void written(EngineOption option, String value, Written written, BiPredicate<String, String> isSame) {
        Optional<Given> there = given(option);
        if (there.isEmpty()) {
            add(option, value);
        } else if (isOurs(there.get(), value)) {
            return;
        } else if (!there.get().isKnown()) {
            problems.warn(
                    Caution.KEPT_YOUR_FLAG,
                    written,
                    "does nothing: container " + container.name() + " already has "
                            + there.get().spelled() + ", whose value is only known at run time");
        } else if (!isSame.test(there.get().value(), value)) {
            boolean isVariable = there.get().isFromVariable();
            problems.refuse(
                    isVariable ? Reason.CONTRADICTS_VARIABLE : Reason.CONTRADICTS_FLAG,
                    written,
                    "but container " + container.name() + " has " + there.get().shown()
                            + (isVariable ? " from a variable" : "") + "; make them equal or remove one");
        }
    }

    /** A value that follows from what is written; the user's own flag is kept. */
    void derived(EngineOption option, String value, Written written) {
        Optional<Given> there = given(option);
        if (there.isEmpty()) {
            add(option, value);
        } else if (there.get().isKnown() && !isOurs(there.get(), value)) {
            problems.warn(
                    Caution.KEPT_YOUR_FLAG,
                    written,
                    "would set " + there.get().spelled() + " " + value + ", but container " + container.name() + " has "
                            + shown(there.get().value()) + ", which stays");
        }
    }

    /** The very value that we would write, as an earlier pass did; its references may be resolved by now. */
    boolean isOurs(Given there, String value) {
        return there.value().equals(value)
                || there.value().equals(Variables.resolved(value, container).text());
    }

    /** A switch; {@code spelled} are the words that set it. */
    void toggle(EngineOption option, boolean on, List<String> spelled, Written written) {
        Optional<Given> there = given(option);
        if (there.isPresent()) {
            written(option, Boolean.toString(on), written);
        } else if (on) {
            words.addAll(spelled);
        }
    }

    private void add(EngineOption option, String value) {
        Flag flag = engine.flags()
                .flag(option)
                .orElseThrow(() -> new IllegalStateException(engine.name() + " has no flag for " + option));
        words.add(flag.spelling());
        words.add(value);
    }

    /** A variable of the engine's container; the user's own stays. */
    void variable(String name, Change.AddVariable.Value value) {
        Optional<Variable> there = container.variable(name);
        there.filter(variable -> !isSame(variable, value))
                .ifPresent(variable -> problems.warnField(
                        Caution.KEPT_YOUR_VARIABLE,
                        container.path() + ".env[" + variable.index() + "]",
                        name + " stays as it is; the KV transfer expects the pod's own address there"));
        boolean isNew = variables.stream()
                .noneMatch(change ->
                        change instanceof Change.AddVariable add && add.name().equals(name));
        if (there.isEmpty() && isNew) {
            variables.add(new Change.AddVariable(container.place(), name, value));
        }
    }

    private boolean isSame(Variable variable, Change.AddVariable.Value value) {
        return switch (value) {
            case Change.AddVariable.Value.Text(String text) -> text.equals(variable.value());
            case Change.AddVariable.Value.Field(String path) ->
                container
                        .node()
                        .path("env")
                        .path(variable.index())
                        .path("valueFrom")
                        .path("fieldRef")
                        .path("fieldPath")
                        .asString("")
                        .equals(path);
        };
    }

    static String shown(String value) {
        return value.length() > 80 ? value.substring(0, 80) + "..." : value;
    }
}
