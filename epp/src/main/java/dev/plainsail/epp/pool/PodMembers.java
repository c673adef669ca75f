package dev.plainsail.epp.pool;

import dev.plainsail.epp.pool.PodView.ContainerView;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * From pods to endpoints, pure. One endpoint a port, so a pod with several ports (data-parallel ranks) is several.
 * Ports, first that holds: annotation {@value #PORT}; the pool's own; the engine's {@code --port}; its container port
 * (the one called {@code http}, else the first); 8000.
 */
final class PodMembers {
    static final String PORT = "plainsail.dev/port";
    private static final String CONTAINER = "plainsail.dev/container";
    private static final String DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";
    private static final List<String> ACTIVE_PORTS =
            List.of("llm-d.ai/active-ports", "inference.networking.k8s.io/active-ports");
    private static final int DEFAULT_PORT = 8000;

    private PodMembers() {}

    /** @param poolPorts as configured for the pool; empty: each pod says its own */
    static List<Member> of(Collection<PodView> pods, List<Integer> poolPorts) {
        List<Member> members = new ArrayList<>();
        Set<String> addresses = new HashSet<>();
        Stream<PodView> youngestFirst = pods.stream()
                .filter(PodView::eligible)
                .sorted(Comparator.comparing(PodView::created)
                        .reversed()
                        .thenComparing(PodView::namespace)
                        .thenComparing(PodView::name));
        youngestFirst.filter(pod -> addresses.add(pod.ip())).forEach(pod -> add(members, pod, poolPorts));
        return members;
    }

    private static void add(List<Member> members, PodView pod, List<Integer> poolPorts) {
        InetAddress address = literal(pod.ip());
        if (address == null) {
            return;
        }
        List<Integer> ports = ports(pod, poolPorts);
        Set<Integer> active = active(pod);
        for (int rank = 0; rank < ports.size(); rank++) {
            int port = ports.get(rank);
            if (!active.isEmpty() && !active.contains(port)) {
                continue;
            }
            String name = pod.namespace() + "/" + pod.name() + (ports.size() > 1 ? "-rank-" + rank : "");
            String identity = pod.namespace() + "/" + pod.name() + "#" + pod.uid() + ":" + port;
            members.add(new Member(identity, name, new InetSocketAddress(address, port), pod.labels()));
        }
    }

    private static List<Integer> ports(PodView pod, List<Integer> poolPorts) {
        String annotated = pod.annotations().getOrDefault(PORT, "").trim();
        ContainerView engine = engine(pod);
        Integer written = number(annotated);
        if (written != null) {
            return List.of(written);
        }
        Integer named = pod.containers().stream()
                .map(container -> container.namedPorts().get(annotated))
                .filter(port -> port != null)
                .findFirst()
                .orElse(null);
        if (named != null) {
            return List.of(named);
        }
        if (!poolPorts.isEmpty()) {
            return poolPorts;
        }
        return List.of(engine == null ? DEFAULT_PORT : port(engine));
    }

    private static int port(ContainerView engine) {
        List<String> words = engine.words();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            Integer flag = word.startsWith("--port=")
                    ? number(word.substring("--port=".length()))
                    : word.equals("--port") && i + 1 < words.size() ? number(words.get(i + 1)) : null;
            if (flag != null) {
                return flag;
            }
        }
        Integer http = engine.namedPorts().get("http");
        if (http != null) {
            return http;
        }
        return engine.ports().isEmpty() ? DEFAULT_PORT : engine.ports().getFirst();
    }

    private static @Nullable ContainerView engine(PodView pod) {
        String annotated =
                pod.annotations().getOrDefault(CONTAINER, "").split(",", 2)[0].trim();
        String wanted = annotated.isEmpty() ? pod.annotations().getOrDefault(DEFAULT_CONTAINER, "") : annotated;
        return pod.containers().stream()
                .filter(container -> container.name().equals(wanted))
                .findFirst()
                .orElse(pod.containers().isEmpty() ? null : pod.containers().getFirst());
    }

    private static Set<Integer> active(PodView pod) {
        Set<Integer> active = new HashSet<>();
        for (String key : ACTIVE_PORTS) {
            String text = pod.annotations().get(key);
            if (text != null) {
                Stream.of(text.split(","))
                        .map(part -> number(part.trim()))
                        .filter(port -> port != null)
                        .forEach(active::add);
                return active;
            }
        }
        return active;
    }

    private static @Nullable Integer number(String text) {
        if (text.isEmpty() || text.length() > 5 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return null;
        }
        int port = Integer.parseInt(text);
        return port >= 1 && port <= 65535 ? port : null;
    }

    /** An address that is no literal is never looked up: the source may not block, and a pod has none. */
    static @Nullable InetAddress literal(String ip) {
        try {
            return InetAddress.ofLiteral(ip);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
