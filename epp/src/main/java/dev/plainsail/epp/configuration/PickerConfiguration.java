package dev.plainsail.epp.configuration;

import dev.plainsail.epp.configuration.PluginType.Surroundings;
import dev.plainsail.epp.datalayer.Scraper;
import dev.plainsail.epp.scheduling.Admitter;
import dev.plainsail.epp.scheduling.ChoiceListener;
import dev.plainsail.epp.scheduling.Detector;
import dev.plainsail.epp.scheduling.EndpointToken;
import dev.plainsail.epp.scheduling.Filter;
import dev.plainsail.epp.scheduling.OutputTokens;
import dev.plainsail.epp.scheduling.Profile;
import dev.plainsail.epp.scheduling.ProfileScheduler;
import dev.plainsail.epp.scheduling.Scheduler;
import dev.plainsail.epp.scheduling.Scorer;
import dev.plainsail.epp.scheduling.filter.UtilizationDetector;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A configuration that was checked. The rules of each pool are made from it, each with state of its own. */
public final class PickerConfiguration {
    /** What comes of a text. */
    public sealed interface Result {
        record Valid(PickerConfiguration configuration) implements Result {}

        /** @param problems all of them, in the order of the text */
        record Invalid(List<Problem> problems) implements Result {
            public Invalid {
                problems = List.copyOf(problems);
            }
        }
    }

    /** The plugins that the configuration names for a purpose; null: the default. */
    record Choices(@Nullable String detector, @Nullable String discovery) {}

    /** What a picker does that was given no configuration. */
    private static final String BUILT_IN = """
            apiVersion: llm-d.ai/v1alpha1
            kind: EndpointPickerConfig
            plugins:
            - type: expected-wait-scorer
            - type: max-score-picker
            schedulingProfiles:
            - name: default
              plugins:
              - pluginRef: expected-wait-scorer
              - pluginRef: max-score-picker
            """;

    private final Map<String, PluginSpec> plugins;
    private final List<ProfileSpec> profiles;
    private final Choices choices;
    private final List<String> warnings;

    PickerConfiguration(
            Map<String, PluginSpec> plugins, List<ProfileSpec> profiles, Choices choices, List<String> warnings) {
        this.plugins = new LinkedHashMap<>(plugins);
        this.profiles = List.copyOf(profiles);
        this.choices = choices;
        this.warnings = warnings;
    }

    /** The configuration of a picker that was given none. */
    public static PickerConfiguration builtIn() {
        return switch (read(BUILT_IN, false)) {
            case Result.Valid(PickerConfiguration configuration) -> configuration;
            case Result.Invalid(List<Problem> problems) -> throw new IllegalStateException(problems.toString());
        };
    }

    /**
     * @param yaml an EndpointPickerConfig
     * @param allowExperimental whether plugins that llm-d calls Alpha may be used
     */
    public static Result read(String yaml, boolean allowExperimental) {
        return ConfigurationReader.read(yaml, allowExperimental);
    }

    /** What was accepted and changes nothing; to be said once at start. */
    public List<String> warnings() {
        return List.copyOf(warnings);
    }

    /** The file that endpoints are discovered from. */
    public Optional<Path> endpointsFile() {
        Object discovery = choices.discovery() == null ? null : make(() -> 0).get(choices.discovery());
        return discovery instanceof FileDiscovery(Path path) ? Optional.of(path) : Optional.empty();
    }

    public Scraper.Options scraping() {
        Scraper.Options options = first(Scraper.Options.class).orElse(Scraper.Options.DEFAULT);
        return first(OwnMetrics.class).map(own -> options.reading(own.specs())).orElse(options);
    }

    public PrefixOptions prefixes() {
        return first(PrefixOptions.class).orElse(PrefixOptions.DEFAULT);
    }

    /** New rules, with state of their own, for one pool. */
    public Scheduler scheduler(LongSupplier nanoTime) {
        Map<String, Object> made = make(nanoTime);
        Map<String, Profile> byName = new LinkedHashMap<>();
        List<ChoiceListener> listeners = new ArrayList<>();
        for (ProfileSpec profile : profiles) {
            byName.put(profile.name(), profile(profile, made));
        }
        List<EndpointToken> tokens = new ArrayList<>();
        made.values().forEach(plugin -> {
            if (plugin instanceof ChoiceListener listener) {
                listeners.add(listener);
            }
            if (plugin instanceof EndpointToken token) {
                tokens.add(token);
            }
        });
        Object handler = plugins.values().stream()
                .filter(spec -> spec.type().is(Role.PROFILE_HANDLER))
                .findFirst()
                .map(spec -> made.get(spec.name()))
                .orElse(Handler.SINGLE);
        String header = handler instanceof Handler.ByHeader byHeader ? byHeader.header() : null;
        String whenAbsent = handler instanceof Handler.ByHeader byHeader
                ? byHeader.defaultProfile()
                : profiles.getFirst().name();
        return new ProfileScheduler(byName, header, whenAbsent, listeners, admitter(made), outputTokens(made), tokens);
    }

    private Admitter admitter(Map<String, Object> made) {
        Detector detector = detector(made);
        return made.values().stream()
                .filter(Admitter.class::isInstance)
                .map(Admitter.class::cast)
                .findFirst()
                .orElse((candidates, chance) -> detector.saturation(candidates) >= 1);
    }

    private Detector detector(Map<String, Object> made) {
        Object chosen = choices.detector() == null ? null : made.get(choices.detector());
        return chosen instanceof Detector detector ? detector : new UtilizationDetector(5, 0.8, 0);
    }

    private static OutputTokens outputTokens(Map<String, Object> made) {
        return made.values().stream()
                .filter(OutputTokens.class::isInstance)
                .map(OutputTokens.class::cast)
                .findFirst()
                .orElse(OutputTokens.NONE);
    }

    private Profile profile(ProfileSpec spec, Map<String, Object> made) {
        List<Filter> filters = new ArrayList<>();
        List<Profile.WeightedScorer> scorers = new ArrayList<>();
        LimitedPicker picker = null;
        for (ProfileSpec.Reference reference : spec.references()) {
            Object plugin = made.get(reference.plugin());
            PluginSpec pluginSpec = plugins.get(reference.plugin());
            if (plugin instanceof Filter filter
                    && pluginSpec != null
                    && pluginSpec.type().is(Role.FILTER)) {
                filters.add(filter);
            }
            if (plugin instanceof Scorer scorer
                    && pluginSpec != null
                    && pluginSpec.type().is(Role.SCORER)) {
                scorers.add(new Profile.WeightedScorer(reference.plugin(), scorer, reference.weight()));
            }
            if (plugin instanceof LimitedPicker limited) {
                picker = limited;
            }
        }
        if (picker == null) {
            throw new IllegalStateException("profile " + spec.name() + " has no picker");
        }
        return new Profile(spec.name(), filters, scorers, picker.picker(), picker.limit());
    }

    /** Makes every plugin once, to find the mistakes in their parameters. */
    void check(List<Problem> problems) {
        make(() -> 0, problems, new LinkedHashMap<>());
        for (PluginSpec spec : plugins.values()) {
            if (spec.type().is(Role.PROFILE_HANDLER)
                    && spec.type().factory().make(parameters(spec, new ArrayList<>()), surroundings(() -> 0, Map.of()))
                            instanceof Handler.ByHeader byHeader
                    && profiles.stream().noneMatch(profile -> profile.name().equals(byHeader.defaultProfile()))) {
                problems.add(new Problem(
                        spec.path() + ".parameters.defaultProfile",
                        "there is no profile '" + byHeader.defaultProfile() + "'"));
            }
        }
    }

    private Map<String, Object> make(LongSupplier nanoTime) {
        return make(nanoTime, new ArrayList<>(), new LinkedHashMap<>());
    }

    /** Producers first: others may refer to them. */
    private Map<String, Object> make(
            LongSupplier nanoTime, List<Problem> problems, Map<String, Map<String, Object>> effective) {
        Map<String, Object> made = new TreeMap<>();
        for (boolean producers : new boolean[] {true, false}) {
            for (PluginSpec spec : plugins.values()) {
                if (spec.type().is(Role.PRODUCER) == producers) {
                    Parameters parameters = parameters(spec, problems);
                    made.put(spec.name(), spec.type().factory().make(parameters, surroundings(nanoTime, made)));
                    parameters.done();
                    effective.put(spec.name(), parameters.effective());
                }
            }
        }
        return made;
    }

    private static Parameters parameters(PluginSpec spec, List<Problem> problems) {
        return new Parameters(spec.path() + ".parameters", spec.parameters(), problems);
    }

    private static Surroundings surroundings(LongSupplier nanoTime, Map<String, Object> made) {
        return new Surroundings(nanoTime, made::get);
    }

    private <T> Optional<T> first(Class<T> type) {
        return make(() -> 0).values().stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    /** The configuration in effect, defaults and added plugins filled in, as YAML. */
    public String effective() {
        Map<String, Map<String, Object>> parameters = new LinkedHashMap<>();
        make(() -> 0, new ArrayList<>(), parameters);
        return EffectiveText.write(plugins, parameters, profiles, choices);
    }
}
