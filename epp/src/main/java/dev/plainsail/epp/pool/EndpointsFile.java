package dev.plainsail.epp.pool;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The text of an endpoints file (YAML or JSON, llm-d's file-discovery form), read whole or not at all:
 * {@code endpoints: [{name, namespace, address, port, labels}]}. The label {@code plainsail.dev/pool} names the pool.
 */
final class EndpointsFile {
    static final int MAX_BYTES = 1 << 20;
    private static final Set<String> KEYS = Set.of("name", "namespace", "address", "port", "labels");
    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** Members by pool, or every problem, each with its path. One of the two is empty. */
    record Content(Map<String, List<Member>> byPool, List<String> problems) {}

    private final List<String> problems = new ArrayList<>();
    private final Map<String, List<Member>> byPool = new TreeMap<>();
    private final Set<String> names = new HashSet<>();

    private EndpointsFile() {}

    static Content read(byte[] text, String defaultPool) {
        EndpointsFile file = new EndpointsFile();
        if (text.length > MAX_BYTES) {
            return new Content(
                    Map.of(), List.of("the file has " + text.length + " bytes; at most " + MAX_BYTES + " are read"));
        }
        try {
            file.root(YAML.readTree(text), defaultPool);
        } catch (JacksonException e) {
            return new Content(Map.of(), List.of("not YAML: " + e.getOriginalMessage()));
        }
        return file.problems.isEmpty()
                ? new Content(file.byPool, List.of())
                : new Content(Map.of(), List.copyOf(file.problems));
    }

    private void root(JsonNode root, String defaultPool) {
        JsonNode endpoints = root.path("endpoints");
        for (String key : root.propertyNames()) {
            if (!key.equals("endpoints")) {
                problems.add(key + ": unknown; the file has one key, endpoints");
            }
        }
        if (!endpoints.isArray()) {
            problems.add("endpoints: write a list of {name, address, port}; an empty pool is endpoints: []");
            return;
        }
        for (int i = 0; i < endpoints.size(); i++) {
            member("endpoints[" + i + "]", endpoints.get(i), defaultPool);
        }
    }

    private void member(String path, JsonNode node, String defaultPool) {
        int before = problems.size();
        for (String key : node.propertyNames()) {
            if (!KEYS.contains(key)) {
                problems.add(path + "." + key + ": unknown; known are name, namespace, address, port, labels");
            }
        }
        String name = text(path, node, "name", null);
        String namespace = text(path, node, "namespace", "default");
        String address = text(path, node, "address", null);
        String port = text(path, node, "port", null);
        Map<String, String> labels = labels(path, node.path("labels"));
        InetAddress ip = address.isEmpty() ? null : PodMembers.literal(address);
        if (ip == null && !address.isEmpty()) {
            problems.add(path + ".address: '" + address + "' is no IP address; host names are not looked up");
        }
        int number = port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : 0;
        if (!port.isEmpty() && (number < 1 || number > 65535)) {
            problems.add(path + ".port: '" + port + "' is no number from 1 to 65535");
        }
        String full = namespace + "/" + name;
        if (!name.isEmpty() && !names.add(full)) {
            problems.add(path + ".name: " + full + " is there twice");
        }
        if (problems.size() == before && ip != null) {
            byPool.computeIfAbsent(labels.getOrDefault(PodSource.POOL, defaultPool), ignored -> new ArrayList<>())
                    .add(new Member(full, full, new InetSocketAddress(ip, number), labels));
        }
    }

    private String text(String path, JsonNode node, String key, @Nullable String whenAbsent) {
        JsonNode value = node.path(key);
        if (value.isMissingNode() || value.isNull()) {
            if (whenAbsent == null) {
                problems.add(path + "." + key + ": missing");
            }
            return whenAbsent == null ? "" : whenAbsent;
        }
        if (!value.isValueNode() || value.asString().isEmpty()) {
            problems.add(path + "." + key + ": write one word");
            return "";
        }
        return value.asString();
    }

    private Map<String, String> labels(String path, JsonNode node) {
        Map<String, String> labels = new LinkedHashMap<>();
        if (!node.isMissingNode() && !node.isNull() && !node.isObject()) {
            problems.add(path + ".labels: write key: value pairs");
        }
        for (Map.Entry<String, JsonNode> label : node.properties()) {
            labels.put(label.getKey(), label.getValue().asString());
        }
        return labels;
    }
}
