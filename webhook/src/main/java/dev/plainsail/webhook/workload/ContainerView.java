package dev.plainsail.webhook.workload;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** One container of a pod: read-only over the raw tree. */
public final class ContainerView {

    /**
     * Where it stands.
     *
     * @param list {@code containers} or {@code initContainers}
     * @param name for people; list and index say it all
     */
    public record Place(String list, int index, String name) {
        /** As printed in field paths. */
        public String path() {
            return "spec." + list + "[" + index + "]";
        }
    }

    /** A variable of {@code env}: with a value, or from elsewhere. */
    public record Variable(int index, String value, boolean isFromElsewhere) {}

    private final Place place;
    private final JsonNode node;

    ContainerView(Place place, JsonNode node) {
        this.place = place;
        this.node = node;
    }

    public Place place() {
        return place;
    }

    public JsonNode node() {
        return node;
    }

    public String path() {
        return place.path();
    }

    public String name() {
        return Trees.text(node, "name");
    }

    public String image() {
        return Trees.text(node, "image");
    }

    public List<String> command() {
        return Trees.texts(node.path("command"));
    }

    public List<String> args() {
        return Trees.texts(node.path("args"));
    }

    public boolean isInit() {
        return place.list().equals("initContainers");
    }

    public boolean hasEnvFrom() {
        return node.path("envFrom").isArray() && !node.path("envFrom").isEmpty();
    }

    /** The last entry of that name, which is the one that counts. */
    public Optional<Variable> variable(String name) {
        JsonNode env = node.path("env");
        for (int i = env.isArray() ? env.size() - 1 : -1; i >= 0; i--) {
            if (Trees.text(env.get(i), "name").equals(name)) {
                boolean isFromElsewhere = env.get(i).path("valueFrom").isObject();
                return Optional.of(new Variable(i, Trees.text(env.get(i), "value"), isFromElsewhere));
            }
        }
        return Optional.empty();
    }

    /** Extended and other resources under {@code resources.limits} or {@code resources.requests}. */
    public Map<String, String> resources(String list) {
        JsonNode amounts = node.path("resources").path(list);
        Map<String, String> result = new java.util.LinkedHashMap<>();
        if (amounts.isObject()) {
            amounts.properties().forEach(field -> {
                JsonNode value = field.getValue();
                if (value.isString() || value.isNumber()) {
                    result.put(field.getKey(), value.asString());
                }
            });
        }
        return result;
    }

    public boolean usesClaim(String name) {
        JsonNode claims = node.path("resources").path("claims");
        return claims.isArray()
                && claims.valueStream()
                        .anyMatch(claim -> Trees.text(claim, "name").equals(name));
    }
}
