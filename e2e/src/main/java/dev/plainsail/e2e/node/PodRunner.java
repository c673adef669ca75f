package dev.plainsail.e2e.node;

import dev.plainsail.e2e.TrustAll;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The node side of a cluster: keeps its nodes Ready, and runs every pod that the scheduler binds to them as processes on the
 * pod's own loopback address. See "Pods as processes" in the README for what differs from a kubelet.
 */
public final class PodRunner implements AutoCloseable, ResourceEventHandler<Pod>, ConfigObjects {

    private static final Duration STOP_GRACE = Duration.ofSeconds(3);

    private final Path folder;
    private final Map<String, PodAddresses> addresses = new HashMap<>();
    private final List<Image> images = new CopyOnWriteArrayList<>();
    private final Map<String, PodWorker> workers = new ConcurrentHashMap<>();
    private final SharedIndexInformer<Pod> pods;
    private final SharedIndexInformer<ConfigMap> configMaps;
    private final SharedIndexInformer<Secret> secrets;
    private final NodeContext context;
    private final Nodes nodes;

    /** Where the API server is, with what a pod's kubeconfig needs. */
    public record Api(String server, String authorityPem) {}

    /** Starts at once. The folder gets a folder for each pod. */
    public PodRunner(
            KubernetesClient client,
            Path folder,
            List<NodePlace> places,
            Api api,
            ServiceNames services,
            int kubeletPort)
            throws IOException {
        this.folder = Files.createDirectories(folder);
        places.forEach(place -> addresses.put(place.name(), new PodAddresses(place)));
        Clock clock = Clock.systemUTC();
        this.nodes = new Nodes(client, places, kubeletPort, clock);
        this.configMaps = client.configMaps().inAnyNamespace().inform();
        this.secrets = client.secrets().inAnyNamespace().inform();
        this.context = new NodeContext(
                client,
                images,
                this,
                services,
                api.server(),
                api.authorityPem(),
                TrustAll.httpClient(),
                clock,
                BackOff.DEFAULT);
        this.pods = client.pods().inAnyNamespace().inform(this);
    }

    /** Adds to the table of images, in front. */
    public void addImage(Image image) {
        images.addFirst(image);
    }

    /** All pods of the cluster, as last seen. */
    public List<Pod> pods() {
        return pods.getStore().list();
    }

    /** A container's log file, current or previous; empty for a pod or container that does not run here. */
    public Optional<Path> log(String namespace, String pod, String container, boolean previous) {
        return find(namespace, pod, container).map(c -> c.log(previous));
    }

    /** Whether the file may still grow: its run has not ended. */
    public boolean isWritten(String namespace, String pod, String container, Path log) {
        return find(namespace, pod, container)
                .filter(c -> c.isRunning() && c.log(false).equals(log))
                .isPresent();
    }

    private Optional<ContainerRunner> find(String namespace, String pod, String container) {
        return Optional.ofNullable(pods.getStore().getByKey(namespace + "/" + pod))
                .flatMap(p -> Optional.ofNullable(workers.get(p.getMetadata().getUid())))
                .flatMap(worker -> worker.container(container));
    }

    @Override
    public void onAdd(Pod pod) {
        String node = pod.getSpec().getNodeName();
        PodAddresses range = node == null ? null : addresses.get(node);
        if (range != null) {
            workers.computeIfAbsent(pod.getMetadata().getUid(), uid -> begin(pod, range))
                    .update(pod);
        }
    }

    private PodWorker begin(Pod pod, PodAddresses range) {
        String uid = pod.getMetadata().getUid();
        String ip = Boolean.TRUE.equals(pod.getSpec().getHostNetwork()) ? range.node() : range.take();
        Path own = folder.resolve(
                pod.getMetadata().getNamespace() + "_" + pod.getMetadata().getName() + "_" + uid.substring(0, 8));
        PodWorker worker = new PodWorker(pod, new PodPlace(range.node(), ip, own), context, () -> {
            workers.remove(uid);
            range.give(ip);
        });
        worker.begin();
        return worker;
    }

    @Override
    public void onUpdate(Pod before, Pod now) {
        onAdd(now);
    }

    @Override
    public void onDelete(Pod pod, boolean stateUnknown) {
        PodWorker worker = workers.get(pod.getMetadata().getUid());
        if (worker != null) {
            worker.objectGone();
        }
    }

    @Override
    public Optional<Map<String, byte[]>> configMap(String namespace, String name) {
        return find(configMaps, namespace, name).map(map -> {
            Map<String, byte[]> all = new LinkedHashMap<>();
            entries(map.getData()).forEach((key, text) -> all.put(key, text.getBytes(StandardCharsets.UTF_8)));
            entries(map.getBinaryData()).forEach((key, base64) -> all.put(key, decode(base64)));
            return all;
        });
    }

    @Override
    public Optional<Map<String, byte[]>> secret(String namespace, String name) {
        return find(secrets, namespace, name).map(secret -> {
            Map<String, byte[]> all = new LinkedHashMap<>();
            entries(secret.getData()).forEach((key, base64) -> all.put(key, decode(base64)));
            return all;
        });
    }

    private static <T extends HasMetadata> Optional<T> find(
            SharedIndexInformer<T> informer, String namespace, String name) {
        return Optional.ofNullable(informer.getStore().getByKey(namespace + "/" + name));
    }

    private static Map<String, String> entries(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }

    private static byte[] decode(String base64) {
        return Base64.getDecoder().decode(base64);
    }

    /** Ends every process; the objects stay as they are. */
    @Override
    public void close() {
        pods.stop();
        List<Thread> ends = List.copyOf(workers.values()).stream()
                .map(worker -> Thread.ofVirtual().start(() -> abandon(worker)))
                .toList();
        try {
            for (Thread end : ends) {
                end.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        nodes.close();
        configMaps.stop();
        secrets.stop();
    }

    private static void abandon(PodWorker worker) {
        try {
            worker.abandon(STOP_GRACE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
