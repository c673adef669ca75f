package dev.plainsail.e2e.node;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceFieldSelector;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code fieldRef} and {@code resourceFieldRef}: what a pod may read of itself. */
final class FieldReferences {

    private static final Pattern ENTRY = Pattern.compile("metadata\\.(labels|annotations)\\['(.*)']");

    private final Pod pod;
    private final String podIp;
    private final String nodeIp;

    FieldReferences(Pod pod, String podIp, String nodeIp) {
        this.pod = pod;
        this.podIp = podIp;
        this.nodeIp = nodeIp;
    }

    /** The value; empty for a path that the API does not know. */
    Optional<String> field(String path) {
        ObjectMeta meta = pod.getMetadata();
        Matcher entry = ENTRY.matcher(path);
        if (entry.matches()) {
            Map<String, String> map = entry.group(1).equals("labels") ? meta.getLabels() : meta.getAnnotations();
            return Optional.of(map == null ? "" : map.getOrDefault(entry.group(2), ""));
        }
        return switch (path) {
            case "metadata.name" -> Optional.of(meta.getName());
            case "metadata.namespace" -> Optional.of(meta.getNamespace());
            case "metadata.uid" -> Optional.of(meta.getUid());
            case "metadata.labels" -> Optional.of(lines(meta.getLabels()));
            case "metadata.annotations" -> Optional.of(lines(meta.getAnnotations()));
            case "spec.nodeName" -> Optional.of(pod.getSpec().getNodeName());
            case "spec.serviceAccountName" ->
                Optional.of(String.valueOf(pod.getSpec().getServiceAccountName()));
            case "status.podIP", "status.podIPs" -> Optional.of(podIp);
            case "status.hostIP", "status.hostIPs" -> Optional.of(nodeIp);
            default -> Optional.empty();
        };
    }

    private static String lines(@Nullable Map<String, String> map) {
        return map == null
                ? ""
                : new TreeMap<>(map)
                        .entrySet().stream()
                                .map(e -> e.getKey() + "=\""
                                        + e.getValue().replace("\\", "\\\\").replace("\"", "\\\"") + "\"")
                                .collect(Collectors.joining("\n"));
    }

    /** {@code limits.memory} in units of the divisor, rounded up; without a limit 0 (a kubelet would give the node's). */
    static String resource(Container container, ResourceFieldSelector selector) {
        String[] path = selector.getResource().split("\\.", 2);
        Map<String, Quantity> amounts = Map.of();
        if (container.getResources() != null) {
            Map<String, Quantity> named = path[0].equals("limits")
                    ? container.getResources().getLimits()
                    : container.getResources().getRequests();
            amounts = named == null ? Map.of() : named;
        }
        Quantity amount = amounts.get(path[path.length - 1]);
        if (amount == null) {
            return "0";
        }
        BigDecimal divisor = selector.getDivisor() == null
                ? BigDecimal.ONE
                : selector.getDivisor().getNumericalAmount();
        return amount.getNumericalAmount()
                .divide(divisor.signum() == 0 ? BigDecimal.ONE : divisor, 0, RoundingMode.CEILING)
                .toPlainString();
    }
}
