package dev.plainsail.webhook.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** A pod, or a pod template as the pod that it will become: read-only over the raw tree. */
public final class PodView {

    private final JsonNode pod;
    private final Map<String, String> annotations;
    private final Map<String, String> labels;
    private final List<ContainerView> containers;
    private final List<ContainerView> initContainers;
    private final GroupPosition position;

    private PodView(JsonNode pod, Map<String, String> annotations, Optional<GroupPosition> position) {
        this.pod = pod;
        this.annotations = annotations;
        this.labels = Trees.textMap(pod.path("metadata").path("labels"));
        this.containers = containers(pod, "containers");
        this.initContainers = containers(pod, "initContainers");
        this.position = position.orElseGet(
                () -> GroupPosition.of(labels, annotations, Trees.text(pod.path("metadata"), "name")));
    }

    public static PodView ofPod(JsonNode pod) {
        return new PodView(pod, Trees.textMap(pod.path("metadata").path("annotations")), Optional.empty());
    }

    /** @param annotations those that the template will have, which may be more than it has now */
    public static PodView ofTemplate(PodTemplate template, Map<String, String> annotations, GroupPosition position) {
        return new PodView(template.node(), annotations, Optional.of(position));
    }

    private static List<ContainerView> containers(JsonNode pod, String field) {
        List<ContainerView> result = new ArrayList<>();
        JsonNode list = pod.path("spec").path(field);
        if (list.isArray()) {
            for (int i = 0; i < list.size(); i++) {
                if (list.get(i).isObject()) {
                    result.add(new ContainerView(
                            new ContainerView.Place(field, i, Trees.text(list.get(i), "name")), list.get(i)));
                }
            }
        }
        return List.copyOf(result);
    }

    public JsonNode spec() {
        return pod.path("spec");
    }

    public JsonNode tree() {
        return pod;
    }

    public Map<String, String> annotations() {
        return annotations;
    }

    public Map<String, String> labels() {
        return labels;
    }

    public List<ContainerView> containers() {
        return containers;
    }

    /** Ordinary init containers and sidecars. */
    public List<ContainerView> initContainers() {
        return initContainers;
    }

    /** All of them: containers first. */
    public List<ContainerView> everyContainer() {
        return Stream.concat(containers.stream(), initContainers.stream()).toList();
    }

    public Optional<ContainerView> container(String name) {
        return everyContainer().stream().filter(c -> c.name().equals(name)).findFirst();
    }

    public GroupPosition position() {
        return position;
    }

    /** Whether the kubelet's own default, true, or a written true holds. */
    public boolean flag(String field) {
        return spec().path(field).asBoolean(false);
    }
}
