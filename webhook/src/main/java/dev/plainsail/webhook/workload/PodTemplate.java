package dev.plainsail.webhook.workload;

import java.util.List;
import tools.jackson.databind.JsonNode;

/** One pod template of a workload. {@code node} is the live tree of the review; nobody writes to it. */
public record PodTemplate(List<String> path, JsonNode node, GroupPosition position) {

    public PodTemplate {
        path = List.copyOf(path);
    }

    /** As field paths are printed: {@code spec.template.}, with the dot. */
    public String prefix() {
        return String.join(".", path) + ".";
    }
}
