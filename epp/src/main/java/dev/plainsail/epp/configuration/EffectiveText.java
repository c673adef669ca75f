package dev.plainsail.epp.configuration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/** The configuration in effect as a text that reads back as the same configuration. */
final class EffectiveText {
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
            .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
            .build();

    private EffectiveText() {}

    static String write(
            Map<String, PluginSpec> plugins,
            Map<String, Map<String, Object>> parameters,
            List<ProfileSpec> profiles,
            PickerConfiguration.Choices choices) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("apiVersion", "llm-d.ai/v1alpha1");
        root.put("kind", "EndpointPickerConfig");
        List<Object> pluginList = new ArrayList<>();
        for (PluginSpec spec : plugins.values()) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("name", spec.name());
            entry.put("type", spec.type().name());
            Map<String, Object> values = parameters.getOrDefault(spec.name(), Map.of());
            if (!values.isEmpty()) {
                entry.put("parameters", values);
            }
            pluginList.add(entry);
        }
        root.put("plugins", pluginList);
        root.put(
                "schedulingProfiles",
                profiles.stream().map(EffectiveText::profile).toList());
        if (choices.detector() != null) {
            root.put("saturationDetector", Map.of("pluginRef", choices.detector()));
        }
        if (choices.discovery() != null) {
            root.put("dataLayer", Map.of("discovery", Map.of("pluginRef", choices.discovery())));
        }
        return YAML.writeValueAsString(root);
    }

    private static Map<String, Object> profile(ProfileSpec profile) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", profile.name());
        entry.put(
                "plugins",
                profile.references().stream()
                        .map(reference -> {
                            Map<String, Object> item = new LinkedHashMap<>();
                            item.put("pluginRef", reference.plugin());
                            item.put("weight", reference.weight());
                            return item;
                        })
                        .toList());
        return entry;
    }
}
