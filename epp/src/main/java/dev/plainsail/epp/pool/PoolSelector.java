package dev.plainsail.epp.pool;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pool that the settings give by selector: {@code name=chat,selector=app=vllm,tier=gpu,port=8000}.
 *
 * @param namespace null: the one that the picker watches
 * @param selector as Kubernetes writes label selectors
 * @param ports one for each data-parallel rank; empty: each pod says its own
 */
public record PoolSelector(String name, @Nullable String namespace, String selector, List<Integer> ports) {
    private static final Set<String> KEYS = Set.of("name", "namespace", "selector", "port");
    private static final int MAX_PORTS = 8;

    public PoolSelector {
        ports = List.copyOf(ports);
    }

    /** Adds to {@code problems} what is wrong, each a sentence that says what to write; null when something is. */
    public static @Nullable PoolSelector parse(String text, List<String> problems) {
        Parts parts = Parts.of(text, problems);
        if (parts.name.isEmpty()) {
            problems.add("'" + text + "' names no pool: write name=NAME,selector=KEY=VALUE,port=8000");
        }
        if (parts.selector.isEmpty()) {
            problems.add("'" + text + "' selects no pods: add selector=KEY=VALUE");
        }
        List<Integer> ports = ports(parts.port, problems);
        if (parts.name.isEmpty() || parts.selector.isEmpty() || ports == null) {
            return null;
        }
        return new PoolSelector(parts.name, parts.namespace.isEmpty() ? null : parts.namespace, parts.selector, ports);
    }

    private static @Nullable List<Integer> ports(String text, List<String> problems) {
        List<Integer> ports = new ArrayList<>();
        for (String part : text.isEmpty() ? new String[0] : text.split("/", -1)) {
            if (!part.matches("[0-9]{1,5}") || Integer.parseInt(part) < 1 || Integer.parseInt(part) > 65535) {
                problems.add("port '" + part + "' is no number from 1 to 65535; several ports are written 8000/8001");
                return null;
            }
            ports.add(Integer.parseInt(part));
        }
        if (ports.size() > MAX_PORTS) {
            problems.add("port '" + text + "' has " + ports.size() + " ports; at most " + MAX_PORTS + " are allowed");
            return null;
        }
        return ports;
    }

    private static final class Parts {
        private String name = "";
        private String namespace = "";
        private String selector = "";
        private String port = "";

        /** A comma inside the selector is kept: what does not begin with a known key belongs to the selector before. */
        static Parts of(String text, List<String> problems) {
            Parts parts = new Parts();
            for (String piece : text.split(",", -1)) {
                int equals = piece.indexOf('=');
                String key = equals < 0 ? "" : piece.substring(0, equals).trim();
                if (KEYS.contains(key) && !(key.equals("name") && !parts.name.isEmpty())) {
                    parts.set(key, piece.substring(equals + 1).trim());
                } else if (!parts.selector.isEmpty()) {
                    parts.selector += "," + piece.trim();
                } else {
                    problems.add("'" + piece + "' of '" + text
                            + "' begins with none of name=, namespace=, selector=, port=");
                }
            }
            return parts;
        }

        private void set(String key, String value) {
            switch (key) {
                case "name" -> name = value;
                case "namespace" -> namespace = value;
                case "selector" -> selector = value;
                default -> port = value;
            }
        }
    }
}
