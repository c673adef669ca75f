package dev.plainsail.webhook.plan;

import dev.plainsail.webhook.engine.Arguments;
import dev.plainsail.webhook.engine.Engine;
import dev.plainsail.webhook.engine.EngineCommand;
import dev.plainsail.webhook.engine.Engines;
import dev.plainsail.webhook.engine.KnownImage;
import dev.plainsail.webhook.plan.Intent.Asked;
import dev.plainsail.webhook.plan.Intent.EngineChoice;
import dev.plainsail.webhook.plan.Intent.Fill;
import dev.plainsail.webhook.workload.CommandLine;
import dev.plainsail.webhook.workload.ContainerView;
import dev.plainsail.webhook.workload.PodView;
import dev.plainsail.webhook.workload.Trees;
import dev.plainsail.webhook.workload.Variables;
import dev.plainsail.webhook.workload.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Finds out what a pod is: which container holds the engine, which engine it is, how it is called. */
public final class SubjectReader {

    private static final String DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final PodView pod;
    private final InjectionSettings settings;
    private final Problems problems;

    private SubjectReader(PodView pod, InjectionSettings settings, Problems problems) {
        this.pod = pod;
        this.settings = settings;
        this.problems = problems;
    }

    /** @param written every annotation of ours and every alias on the pod, with its place */
    public static Subject read(
            PodView pod, Map<String, Written> written, InjectionSettings settings, Problems problems) {
        Vocabulary.check(written, pod.annotations(), problems);
        Intent intent = new IntentReader(written, problems).read();
        return new SubjectReader(pod, settings, problems).subject(intent);
    }

    private Subject subject(Intent intent) {
        List<ContainerView> chosen = containers(intent);
        Optional<ContainerView> main = chosen.isEmpty() ? Optional.empty() : Optional.of(chosen.getFirst());
        List<ContainerView> sharers = chosen.isEmpty() ? List.of() : chosen.subList(1, chosen.size());
        Optional<Engines.Found> found = main.flatMap(container -> engine(container, intent));
        return new Subject(
                pod,
                intent,
                settings,
                main,
                sharers,
                found.map(Engines.Found::engine),
                found.map(Engines.Found::command),
                main.flatMap(container -> found.flatMap(engine -> arguments(engine, container, intent))));
    }

    private static Optional<Arguments> arguments(Engines.Found found, ContainerView container, Intent intent) {
        if (!(found.command() instanceof EngineCommand.Understood understood)) {
            return Optional.empty();
        }
        Arguments own = understood.arguments();
        List<Word> more = intent.engineArgs().stream()
                .flatMap(asked -> asked.value().stream())
                .filter(argument -> !own.hasNamed(argument.name()))
                .flatMap(argument -> argument.words().stream())
                .map(word -> Variables.resolved(word, container))
                .toList();
        return Optional.of(own.plus(more));
    }

    private List<ContainerView> containers(Intent intent) {
        if (intent.containers().isPresent()) {
            return named(intent.containers().get());
        }
        Optional<ContainerView> planned = planned();
        if (planned.isPresent()) {
            return List.of(planned.get());
        }
        List<ContainerView> engines = pod.everyContainer().stream()
                .filter(container ->
                        Engines.find(container, settings.knownImages()).isPresent())
                .toList();
        if (engines.size() == 1) {
            return engines;
        }
        Optional<ContainerView> byDefault =
                Optional.ofNullable(pod.annotations().get(DEFAULT_CONTAINER)).flatMap(pod::container);
        if (byDefault.isPresent()) {
            return List.of(byDefault.get());
        }
        if (pod.containers().size() == 1 && engines.isEmpty()) {
            return pod.containers();
        }
        if (needsContainer(intent)) {
            String which = pod.containers().isEmpty()
                    ? "there is no container"
                    : engines.size() > 1
                            ? "the containers " + names(engines) + " all run an engine"
                            : "none of the containers " + names(pod.everyContainer()) + " runs a known engine";
            problems.refuseField(
                    Reason.NO_CONTAINER,
                    "metadata.annotations[" + Annotations.Input.CONTAINER.key() + "]",
                    "",
                    which + "; write the name of the one that is meant");
        }
        return List.of();
    }

    private List<ContainerView> named(Asked<List<String>> asked) {
        List<ContainerView> result = new ArrayList<>();
        for (String name : asked.value()) {
            Optional<ContainerView> container = pod.container(name);
            if (container.isEmpty()) {
                problems.refuse(
                        Reason.UNKNOWN_CONTAINER,
                        asked.written(),
                        name,
                        "there is no such container; there are " + names(pod.everyContainer())
                                + IntentReader.didYouMean(
                                        name,
                                        pod.everyContainer().stream()
                                                .map(ContainerView::name)
                                                .toList()));
                return List.of();
            }
            result.add(container.get());
        }
        return result;
    }

    /** Our own claim entry is there already, so the plan's container stays, whatever another injector added since. */
    private Optional<ContainerView> planned() {
        String plan = pod.annotations().get(Annotations.PLAN);
        boolean hasEntry = pod.spec()
                .path("resourceClaims")
                .valueStream()
                .anyMatch(entry -> Trees.text(entry, "name").equals(Annotations.CLAIM_ENTRY));
        if (plan == null || !hasEntry) {
            return Optional.empty();
        }
        try {
            JsonNode tree = MAPPER.readTree(plan);
            return pod.container(Trees.text(tree, "container"));
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    private static String names(List<ContainerView> containers) {
        return containers.stream().map(ContainerView::name).collect(Collectors.joining(", "));
    }

    private static boolean needsContainer(Intent intent) {
        return intent.devices().isPresent()
                || intent.claim().isPresent()
                || intent.engine().isPresent()
                || EngineKeys.asked(intent).findAny().isPresent()
                || intent.libraryPath()
                        .filter(asked -> !(asked.value() instanceof Intent.LibraryPath.Off))
                        .isPresent()
                || intent.fill().stream().anyMatch(fill -> fill != Fill.SERVICE_LINKS && fill != Fill.GRACE);
    }

    private Optional<Engines.Found> engine(ContainerView container, Intent intent) {
        Optional<Engines.Found> found = Engines.find(container, settings.knownImages());
        Optional<Asked<EngineChoice>> choice = intent.engine();
        if (choice.isPresent() && choice.get().value() == EngineChoice.NONE) {
            EngineKeys.asked(intent)
                    .forEach(
                            written -> problems.refuse(
                                    Reason.ENGINE_NONE,
                                    written,
                                    "`plainsail.dev/engine: none` means that no engine arguments are added; remove this, or name the engine"));
            return Optional.empty();
        }
        if (choice.isPresent()) {
            String word = choice.get().value().word();
            if (found.isPresent() && !found.get().engine().name().equals(word)) {
                problems.refuse(
                        Reason.CONTRADICTS_FLAG,
                        choice.get().written(),
                        "but container " + container.name() + " runs "
                                + found.get().engine().title() + "; write "
                                + found.get().engine().name() + " or leave it out");
            } else if (found.isEmpty()) {
                found = Engines.named(word).flatMap(engine -> byArguments(engine, container));
            }
        }
        if (found.isEmpty()) {
            refuseWithoutEngine(container, intent, choice);
        }
        return found;
    }

    /** The user says which engine it is, and the container has arguments that can only be the engine's. */
    private Optional<Engines.Found> byArguments(Engine engine, ContainerView container) {
        if (!container.command().isEmpty() || container.args().isEmpty()) {
            return Optional.empty();
        }
        List<String> entrypoint = engine.name().equals("vllm")
                ? List.of("vllm", "serve")
                : List.of("python3", "-m", "sglang.launch_server");
        KnownImage image = new KnownImage(container.image(), engine.name(), entrypoint, List.of(), "");
        return EngineCommand.find(engine, container, Optional.of(image))
                .map(command -> new Engines.Found(engine, command));
    }

    private void refuseWithoutEngine(ContainerView container, Intent intent, Optional<Asked<EngineChoice>> choice) {
        boolean isImageOnly = CommandLine.of(container) instanceof CommandLine.ImageEntrypoint;
        String what = isImageOnly
                ? "the image of container " + container.name()
                        + " is not a known one, so write `command` or `args` with the engine's call: adding arguments alone would replace"
                        + " what the image runs"
                : "container " + container.name()
                        + " starts no known engine (vllm serve, python3 -m vllm.entrypoints.openai.api_server,"
                        + " python3 -m sglang.launch_server); write the call out in `command`";
        if (choice.isPresent() || EngineKeys.asked(intent).findAny().isPresent()) {
            List<Written> asked = new ArrayList<>(EngineKeys.asked(intent).toList());
            if (asked.isEmpty()) {
                choice.ifPresent(value -> asked.add(value.written()));
            }
            asked.forEach(written -> problems.refuse(Reason.NO_ENGINE, written, what));
        }
    }
}
