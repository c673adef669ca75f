package dev.plainsail.webhook.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** All pods of the cluster that carry our template label, by template. */
public final class ClaimPods implements AutoCloseable {
    private final Map<TemplateKey, Map<String, ClaimPod>> byTemplate = new HashMap<>();
    private final Consumer<TemplateKey> onChange;
    private final Watch<Pod> watch;

    /** @param onChange called on the client's thread with each template whose pods changed */
    public ClaimPods(Cluster cluster, Consumer<TemplateKey> onChange) {
        this.onChange = onChange;
        watch = new Watch<>(
                        "pods with the label " + ClaimPod.LABEL,
                        cluster.client().pods().inAnyNamespace().withLabel(ClaimPod.LABEL),
                        new Trimmed<>(ClaimPods::trim),
                        new Handler())
                .start();
    }

    public boolean isSynced() {
        return watch.isSynced();
    }

    /** A snapshot, in no order. */
    public synchronized List<ClaimPod> of(TemplateKey template) {
        Map<String, ClaimPod> pods = byTemplate.get(template);
        return pods == null ? List.of() : List.copyOf(pods.values());
    }

    public synchronized Set<TemplateKey> templates() {
        return Set.copyOf(byTemplate.keySet());
    }

    /** What identifies a pod and its label; the rest is in {@link #byTemplate}. */
    private static Pod trim(Pod pod) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName())
                .withUid(pod.getMetadata().getUid())
                .withResourceVersion(pod.getMetadata().getResourceVersion())
                .withCreationTimestamp(pod.getMetadata().getCreationTimestamp())
                .addToLabels(ClaimPod.LABEL, pod.getMetadata().getLabels().getOrDefault(ClaimPod.LABEL, ""))
                .endMetadata()
                .build();
    }

    private final class Handler implements ResourceEventHandler<Pod> {
        @Override
        public void onAdd(Pod pod) {
            put(ClaimPod.of(pod));
        }

        @Override
        public void onUpdate(Pod before, Pod now) {
            ClaimPod old = ClaimPod.of(before);
            ClaimPod next = ClaimPod.of(now);
            if (!old.template().equals(next.template())) {
                remove(old);
            }
            put(next);
        }

        @Override
        public void onDelete(Pod pod, boolean finalStateUnknown) {
            remove(ClaimPod.of(pod));
        }
    }

    private void put(ClaimPod pod) {
        synchronized (this) {
            ClaimPod before = byTemplate
                    .computeIfAbsent(pod.template(), key -> new HashMap<>())
                    .put(pod.name(), pod);
            if (pod.equals(before)) {
                return;
            }
        }
        onChange.accept(pod.template());
    }

    private void remove(ClaimPod pod) {
        synchronized (this) {
            Map<String, ClaimPod> pods = byTemplate.get(pod.template());
            if (pods != null) {
                pods.remove(pod.name());
                if (pods.isEmpty()) {
                    byTemplate.remove(pod.template());
                }
            }
        }
        onChange.accept(pod.template());
    }

    @Override
    public void close() {
        watch.close();
    }
}
