package dev.plainsail.epp.configuration;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reads one EndpointPickerConfig: what it says, what it leaves to defaults, and everything that is wrong with it. */
final class ConfigurationReader {
    static final String SINGLE_HANDLER = "single-profile-handler";
    static final String DEFAULT_PICKER = "max-score-picker";
    private static final Set<String> API_VERSIONS =
            Set.of("llm-d.ai/v1alpha1", "inference.networking.x-k8s.io/v1alpha1");
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final boolean allowExperimental;
    private final List<Problem> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final Map<String, PluginSpec> plugins = new LinkedHashMap<>();
    private final List<ProfileSpec> profiles = new ArrayList<>();

    private ConfigurationReader(boolean allowExperimental) {
        this.allowExperimental = allowExperimental;
    }

    static PickerConfiguration.Result read(String yaml, boolean allowExperimental) {
        ConfigurationReader reader = new ConfigurationReader(allowExperimental);
        JsonNode root;
        try {
            root = YAML.readTree(yaml);
        } catch (JacksonException e) {
            return invalid(List.of(new Problem("(text)", "not YAML: " + e.getOriginalMessage())));
        }
        if (!root.isObject()) {
            return invalid(List.of(new Problem("(text)", "write an EndpointPickerConfig; this is none")));
        }
        return reader.root(root);
    }

    private static PickerConfiguration.Result invalid(List<Problem> problems) {
        return new PickerConfiguration.Result.Invalid(problems);
    }

    private PickerConfiguration.Result root(JsonNode root) {
        Parameters top = new Parameters("", root, problems);
        header(top);
        boolean flowControlAsked = gates(top.texts("featureGates"));
        plugins(top);
        profiles(top);
        String detector = flowControl(top, flowControlAsked);
        top.object("requestHandler").objects("parsers").forEach(parser -> reference(parser, Role.PARSER));
        Parameters parser = top.object("parser");
        if (top.has("parser")) {
            reference(parser, Role.PARSER);
        }
        String discovery = dataLayer(top.object("dataLayer"));
        top.done();
        inject();
        checkProfiles();
        PickerConfiguration configuration = new PickerConfiguration(
                plugins, profiles, new PickerConfiguration.Choices(detector, discovery), warnings);
        configuration.check(problems);
        return problems.isEmpty()
                ? new PickerConfiguration.Result.Valid(configuration)
                : invalid(problems.stream().distinct().toList());
    }

    private void header(Parameters top) {
        String version = top.text("apiVersion", null);
        if (!version.isEmpty() && !API_VERSIONS.contains(version)) {
            top.problem("apiVersion", "'" + version + "': write llm-d.ai/v1alpha1");
        }
        String kind = top.text("kind", null);
        if (!kind.isEmpty() && !kind.equals("EndpointPickerConfig")) {
            top.problem("kind", "'" + kind + "': write EndpointPickerConfig");
        }
    }

    private boolean gates(List<String> gates) {
        boolean flowControl = false;
        for (int i = 0; i < gates.size(); i++) {
            String[] parts = gates.get(i).split("=", 2);
            boolean on = parts.length == 1 || parts[1].equals("true");
            String path = "featureGates[" + i + "]";
            if (parts.length == 2 && !parts[1].equals("true") && !parts[1].equals("false")) {
                problems.add(new Problem(path, "'" + gates.get(i) + "': write NAME, NAME=true or NAME=false"));
            }
            switch (parts[0]) {
                case "flowControl" -> {
                    flowControl = on;
                    if (on) {
                        problems.add(new Problem(path, "flow control does not exist here yet; remove the gate"));
                    }
                }
                case "haPopulateNonLeaderDatastore" ->
                    warnings.add("featureGates: " + parts[0] + " changes nothing: every replica is active");
                default ->
                    problems.add(new Problem(
                            path,
                            "'" + parts[0] + "' is unknown; known are flowControl, haPopulateNonLeaderDatastore"));
            }
        }
        return flowControl;
    }

    private void plugins(Parameters top) {
        List<Parameters> entries = top.objects("plugins");
        for (int i = 0; i < entries.size(); i++) {
            Parameters entry = entries.get(i);
            String typeName = entry.text("type", null);
            String name = entry.text("name", typeName);
            JsonNode parameters = entry.raw("parameters");
            entry.done();
            PluginType type = BuiltIns.BY_NAME.get(typeName);
            if (typeName.isEmpty()) {
                continue;
            }
            if (type == null) {
                entry.problem("type", "'" + typeName + "' is unknown" + Nearest.hint(typeName, BuiltIns.names()));
            } else if (type.refusal() != null) {
                entry.problem("type", typeName + ": " + type.refusal());
            } else if (type.experimental() && !allowExperimental) {
                entry.problem(
                        "type", typeName + " is experimental; start the picker with --allow-experimental-plugins");
            } else if (plugins.put(name, new PluginSpec(name, type, parameters, entry.path())) != null) {
                entry.problem("name", "'" + name + "' is there twice; give one of them another name");
            }
        }
    }

    private void profiles(Parameters top) {
        Set<String> names = new HashSet<>();
        for (Parameters entry : top.objects("schedulingProfiles")) {
            String name = entry.text("name", null);
            if (!name.isEmpty() && !names.add(name)) {
                entry.problem("name", "'" + name + "' is there twice");
            }
            List<ProfileSpec.Reference> references = new ArrayList<>();
            for (Parameters reference : entry.objects("plugins")) {
                String plugin = reference.text("pluginRef", null);
                double weight = reference.decimal("weight", 1, -1e9, 1e9);
                reference.done();
                check(reference, plugin);
                references.add(new ProfileSpec.Reference(plugin, weight));
            }
            entry.done();
            profiles.add(new ProfileSpec(name, references));
        }
    }

    /** @return the name of the saturation detector, or null for the default */
    private @Nullable String flowControl(Parameters top, boolean asked) {
        JsonNode section = top.raw("flowControl");
        if (section != null && !asked) {
            warnings.add("flowControl: ignored but for saturationDetector, because the feature gate is not set");
        }
        String detector = null;
        Parameters old = top.object("saturationDetector");
        if (top.has("saturationDetector")) {
            detector = reference(old, Role.DETECTOR);
        }
        if (section != null && section.path("saturationDetector").isObject()) {
            detector = reference(
                    new Parameters("flowControl.saturationDetector", section.path("saturationDetector"), problems),
                    Role.DETECTOR);
        }
        return detector;
    }

    /** @return the name of the discovery plugin, or null */
    private @Nullable String dataLayer(Parameters section) {
        section.flag("injectDefaults", true);
        for (Parameters source : section.objects("sources")) {
            String plugin = source.text("pluginRef", null);
            check(source, plugin, Role.DATA_SOURCE);
            source.objects("extractors").forEach(extractor -> reference(extractor, Role.EXTRACTOR));
            source.done();
        }
        String discovery = section.has("discovery") ? reference(section.object("discovery"), Role.DISCOVERY) : null;
        for (String key : List.of("peerDiscovery", "crossReplicaSyncerPluginRef", "crossReplicaSyncInterval")) {
            if (section.has(key)) {
                warnings.add("dataLayer." + key + ": ignored; replicas do not exchange their state");
            }
        }
        section.accepted("peerDiscovery", "crossReplicaSyncerPluginRef", "crossReplicaSyncInterval");
        section.done();
        return discovery;
    }

    /** A mapping with nothing but a pluginRef. @return the name it refers to; null when that is wrong */
    private @Nullable String reference(Parameters mapping, Role role) {
        String plugin = mapping.text("pluginRef", null);
        mapping.done();
        return check(mapping, plugin, role) ? plugin : null;
    }

    private boolean check(Parameters at, String plugin, Role... roles) {
        if (plugin.isEmpty()) {
            return false;
        }
        PluginSpec spec = plugins.get(plugin);
        if (spec == null) {
            at.problem("pluginRef", "'" + plugin + "' is not in plugins" + Nearest.hint(plugin, plugins.keySet()));
            return false;
        }
        for (Role role : roles) {
            if (!spec.type().is(role)) {
                at.problem("pluginRef", "'" + plugin + "' is no " + role.label());
                return false;
            }
        }
        return true;
    }

    private void inject() {
        if (profiles.isEmpty()) {
            profiles.add(new ProfileSpec(
                    "default",
                    plugins.values().stream()
                            .filter(spec ->
                                    isPartOfProfile(spec.type()) && !spec.type().is(Role.DETECTOR))
                            .map(spec -> new ProfileSpec.Reference(spec.name(), 1))
                            .toList()));
        }
        List<PluginSpec> handlers = all(Role.PROFILE_HANDLER);
        if (handlers.isEmpty() && profiles.size() == 1) {
            add(SINGLE_HANDLER);
        }
        List<PluginSpec> pickers = all(Role.PICKER);
        String picker = pickers.isEmpty() ? DEFAULT_PICKER : pickers.getFirst().name();
        if (pickers.isEmpty()) {
            add(DEFAULT_PICKER);
        }
        profiles.replaceAll(profile -> profile.references().stream().anyMatch(this::isPicker)
                ? profile
                : with(profile, new ProfileSpec.Reference(picker, 1)));
        if (all(Role.DATA_SOURCE).stream().noneMatch(spec -> spec.type().name().equals("metrics-data-source"))) {
            add("metrics-data-source");
        }
        for (String producer : List.of("approx-prefix-cache-producer", "inflight-load-producer")) {
            if (all(Role.PRODUCER).stream().noneMatch(spec -> spec.type().name().equals(producer))) {
                add(producer);
            }
        }
    }

    private void checkProfiles() {
        List<PluginSpec> handlers = all(Role.PROFILE_HANDLER);
        if (handlers.size() > 1) {
            problems.add(new Problem(
                    handlers.get(1).path(),
                    "more than one profile handler: "
                            + handlers.stream().map(PluginSpec::name).collect(Collectors.joining(", "))));
        }
        boolean single = handlers.isEmpty() || handlers.getFirst().type().name().equals(SINGLE_HANDLER);
        if (single && profiles.size() > 1) {
            problems.add(new Problem(
                    "schedulingProfiles",
                    profiles.size()
                            + " profiles and no handler that chooses; keep one, or use header-profile-handler"));
        }
        for (int i = 0; i < profiles.size(); i++) {
            ProfileSpec profile = profiles.get(i);
            String path = "schedulingProfiles[" + i + "]";
            if (profile.references().stream().filter(this::isPicker).count() > 1) {
                problems.add(new Problem(path, "more than one picker; keep one"));
            }
            for (ProfileSpec.Reference reference : profile.references()) {
                PluginSpec spec = plugins.get(reference.plugin());
                if (spec != null && !isPartOfProfile(spec.type())) {
                    warnings.add(path + ": " + reference.plugin()
                            + " is no filter, scorer or picker and changes nothing there");
                }
            }
        }
    }

    private static boolean isPartOfProfile(PluginType type) {
        return type.is(Role.FILTER) || type.is(Role.SCORER) || type.is(Role.PICKER);
    }

    private boolean isPicker(ProfileSpec.Reference reference) {
        PluginSpec spec = plugins.get(reference.plugin());
        return spec != null && spec.type().is(Role.PICKER);
    }

    private static ProfileSpec with(ProfileSpec profile, ProfileSpec.Reference more) {
        List<ProfileSpec.Reference> references = new ArrayList<>(profile.references());
        references.add(more);
        return new ProfileSpec(profile.name(), references);
    }

    private List<PluginSpec> all(Role role) {
        return plugins.values().stream().filter(spec -> spec.type().is(role)).toList();
    }

    private void add(String typeName) {
        PluginType type = BuiltIns.BY_NAME.get(typeName);
        if (type != null) {
            plugins.putIfAbsent(typeName, new PluginSpec(typeName, type, null, "(added)"));
        }
    }
}
