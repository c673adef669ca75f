package dev.plainsail.e2e.node;

import dev.plainsail.e2e.process.Trees;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pod from binding to deletion, on one virtual thread: a loop that looks at the containers several times a second, starts
 * what may start, and tells the API server what has changed.
 */
final class PodWorker {

    private static final Logger LOG = LoggerFactory.getLogger(PodWorker.class);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration RETRY = Duration.ofMillis(500);

    private final NodeContext context;
    private final PodPlace place;
    private final PodApi api;
    private final PodVolumes volumes;
    private final PodAccess access;
    private final PodStatuses statuses;
    private final List<ContainerRunner> init = new ArrayList<>();
    private final List<ContainerRunner> main = new ArrayList<>();
    private final AtomicReference<Pod> latest;
    private final Thread thread;
    private volatile boolean gone;
    private volatile boolean abandoned;

    private ClaimCheck claims = new ClaimCheck(Optional.empty(), Map.of());
    private boolean prepared;
    private boolean initialized;
    private Instant tryAgainAt = Instant.MIN;
    private String failure = "";
    private String failureMessage = "";

    PodWorker(Pod pod, PodPlace place, NodeContext context, Runnable whenOver) {
        this.context = context;
        this.place = place;
        this.api = new PodApi(context.client());
        this.latest = new AtomicReference<>(pod);
        this.access = new PodAccess(pod, context);
        pod.getSpec().getInitContainers().forEach(c -> init.add(new ContainerRunner(c, true, place, context)));
        pod.getSpec().getContainers().forEach(c -> main.add(new ContainerRunner(c, false, place, context)));
        this.volumes = new PodVolumes(
                pod,
                place.volumes(),
                context.objects(),
                fields(pod),
                access,
                text -> new ConfigMapText(place.podIp(), context.services(), podMounts()).apply(text));
        this.statuses = new PodStatuses(place, context.clock().instant());
        String name = pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
        this.thread = Thread.ofVirtual().name("pod " + name).unstarted(() -> {
            try {
                live();
            } finally {
                clearFolder();
                whenOver.run();
            }
        });
    }

    void begin() {
        thread.start();
    }

    /** The object changed. */
    void update(Pod pod) {
        latest.set(pod);
        LockSupport.unpark(thread);
    }

    /** The object is no more: end the processes at once. */
    void objectGone() {
        gone = true;
        LockSupport.unpark(thread);
    }

    /** The runner stops: end the processes and leave the object as it is. */
    void abandon(Duration grace) throws InterruptedException {
        abandoned = true;
        stopAll(grace);
        LockSupport.unpark(thread);
        thread.join(Duration.ofSeconds(5));
    }

    PodPlace place() {
        return place;
    }

    Optional<ContainerRunner> container(String name) {
        return Stream.concat(init.stream(), main.stream())
                .filter(c -> c.container().getName().equals(name))
                .findFirst();
    }

    private void live() {
        while (!abandoned) {
            try {
                if (gone) {
                    stopAll(Duration.ZERO);
                    return;
                }
                if (latest.get().getMetadata().getDeletionTimestamp() != null) {
                    terminate();
                    return;
                }
                look();
                report();
            } catch (KubernetesClientException e) {
                LOG.debug("the API server did not take it; again later", e);
            } catch (IOException e) {
                fail("Error", "the node's disk: " + e.getMessage());
            } catch (RuntimeException e) {
                LOG.error(
                        "a mistake of ours in the thread of pod {}",
                        place.folder().getFileName(),
                        e);
                LockSupport.parkNanos(RETRY.toNanos());
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    /** The logs stay until the runner's folder goes; secrets do not. */
    private void clearFolder() {
        try {
            Trees.delete(place.volumes());
            Trees.delete(place.folder().resolve("containers"));
            Files.deleteIfExists(place.folder().resolve("kubeconfig"));
        } catch (IOException e) {
            LOG.warn("left over: {}", place.folder(), e);
        }
    }

    private void fail(String reason, String message) {
        failure = reason;
        failureMessage = message;
        stopAll(grace());
    }

    private Duration grace() {
        Long seconds = latest.get().getSpec().getTerminationGracePeriodSeconds();
        return Duration.ofSeconds(seconds == null ? 30 : seconds);
    }

    private void look() throws IOException {
        Instant now = context.clock().instant();
        Stream.concat(init.stream(), main.stream())
                .forEach(c -> c.observe(grace()).ifPresent(why -> api.warn(latest.get(), "Unhealthy", why)));
        if (!failure.isEmpty() || isOver() || now.isBefore(tryAgainAt)) {
            return;
        }
        if (isPastDeadline(now)) {
            fail("DeadlineExceeded", "Pod was active on the node longer than the specified deadline");
            return;
        }
        if (!prepare(now)) {
            return;
        }
        initialized = initialize();
        if (initialized) {
            for (ContainerRunner container : main) {
                keepRunning(container);
            }
        }
        main.forEach(c -> c.unready().ifPresent(why -> api.warn(latest.get(), "Unhealthy", why)));
    }

    private boolean isOver() {
        String phase = PodStatuses.phase(seen());
        return phase.equals("Succeeded") || phase.equals("Failed");
    }

    private boolean isPastDeadline(Instant now) {
        Long seconds = latest.get().getSpec().getActiveDeadlineSeconds();
        return seconds != null
                && prepared
                && statuses.startedAt().plusSeconds(seconds).isBefore(now);
    }

    /** Claims and volumes; what is missing is waited for, and told once in an event. */
    private boolean prepare(Instant now) throws IOException {
        Pod pod = latest.get();
        if (!prepared) {
            claims = ClaimCheck.of(pod, name -> api.claim(pod.getMetadata().getNamespace(), name));
            if (claims.problem().isPresent()) {
                api.warn(pod, "FailedPrepareDynamicResources", claims.problem().get());
                tryAgainAt = now.plus(RETRY);
                return false;
            }
            Files.createDirectories(place.logs());
        }
        try {
            volumes.refresh();
            prepared = true;
        } catch (PodVolumes.Missing e) {
            if (!prepared) {
                api.warn(pod, "FailedMount", String.valueOf(e.getMessage()));
                tryAgainAt = now.plus(RETRY);
            }
        }
        return prepared;
    }

    /** One after the other; true when all are over, or, for sidecars, started. */
    private boolean initialize() throws IOException {
        for (ContainerRunner container : init) {
            if (PodStatuses.isSidecar(container)) {
                keepRunning(container);
                if (!container.isStarted() && !initialized) {
                    return false;
                }
            } else if (!container.isSucceeded()) {
                keepRunning(container);
                return false;
            }
        }
        return true;
    }

    private void keepRunning(ContainerRunner container) throws IOException {
        if (container.isRunning() || (container.isTerminated() && !isRestarted(container))) {
            return;
        }
        if (container.mayStart()) {
            launch(container);
        }
    }

    private boolean isRestarted(ContainerRunner container) {
        if (PodStatuses.isSidecar(container)) {
            return true;
        }
        String policy = latest.get().getSpec().getRestartPolicy();
        return switch (policy == null ? "Always" : policy) {
            case "Never" -> false;
            case "OnFailure" -> !container.isSucceeded();
            default -> !container.isInit() || !container.isSucceeded();
        };
    }

    private void launch(ContainerRunner runner) throws IOException {
        Pod pod = latest.get();
        Container container = runner.container();
        String namespace = pod.getMetadata().getNamespace();
        boolean links = !Boolean.FALSE.equals(pod.getSpec().getEnableServiceLinks());
        Map<String, String> services = context.services().variables(namespace, links);
        try {
            Map<String, String> declared = new LinkedHashMap<>(
                    new ContainerEnvironment(namespace, fields(pod), context.objects()).of(container, services));
            declared.putAll(claims.variables(container));
            Path folder = Files.createDirectories(place.container(container.getName()));
            runner.start(new ContainerLaunch(
                    container,
                    Image.find(context.images(), container.getImage()),
                    new MountPaths(volumes.mounts(container)),
                    place.podIp(),
                    folder,
                    base(pod, folder),
                    declared));
        } catch (ContainerEnvironment.Unresolved e) {
            runner.waitFor("CreateContainerConfigError", String.valueOf(e.getMessage()));
            api.warn(pod, "Failed", "Error: " + e.getMessage());
        }
    }

    /** What every container gets, whatever it declares. */
    private Map<String, String> base(Pod pod, Path folder) throws IOException {
        Map<String, String> base = new LinkedHashMap<>();
        base.put("HOSTNAME", pod.getMetadata().getName());
        base.put("HOME", folder.toString());
        base.put("TMPDIR", Files.createDirectories(folder.resolve("tmp")).toString());
        base.put("POD_IP", place.podIp());
        if (access.isWanted()) {
            Path kubeconfig = place.folder().resolve("kubeconfig");
            access.writeKubeconfig(kubeconfig);
            base.put("KUBECONFIG", kubeconfig.toString());
        }
        return base;
    }

    private FieldReferences fields(Pod pod) {
        return new FieldReferences(pod, place.podIp(), place.nodeIp());
    }

    /** Every container's mounts; where two containers mount at one path, the later container's. */
    private MountPaths podMounts() {
        Map<String, Path> all = new LinkedHashMap<>();
        Stream.concat(init.stream(), main.stream()).forEach(c -> all.putAll(volumes.mounts(c.container())));
        return new MountPaths(all);
    }

    private PodStatuses.Seen seen() {
        return new PodStatuses.Seen(latest.get(), init, main, prepared, initialized, failure, failureMessage);
    }

    private void report() {
        PodStatus status = statuses.of(seen(), context.clock().instant());
        if (!api.report(latest.get(), status)) {
            gone = true;
        }
    }

    /** Main containers first, then sidecars in reverse order, then the last status, then the object itself. */
    private void terminate() {
        Pod pod = latest.get();
        Long seconds = pod.getMetadata().getDeletionGracePeriodSeconds();
        stopAll(Duration.ofSeconds(seconds == null ? 30 : seconds));
        Stream.concat(init.stream(), main.stream()).forEach(c -> c.observe(Duration.ZERO));
        try {
            report();
        } catch (KubernetesClientException e) {
            LOG.debug("the last status was not taken", e);
        }
        api.delete(pod);
    }

    private void stopAll(Duration grace) {
        Instant end = context.clock().instant().plus(grace);
        stopTogether(main, grace);
        for (ContainerRunner sidecar : init.reversed()) {
            Duration left = Duration.between(context.clock().instant(), end);
            stopTogether(List.of(sidecar), left.isNegative() ? Duration.ZERO : left);
        }
    }

    /** Ends early, by SIGKILL, when the object disappears meanwhile. */
    private void stopTogether(List<ContainerRunner> containers, Duration grace) {
        List<Thread> stops = containers.stream()
                .map(c -> Thread.ofVirtual().start(() -> c.stop(grace)))
                .toList();
        boolean killed = false;
        try {
            for (Thread stop : stops) {
                while (!stop.join(LOOK)) {
                    if (gone && !killed) {
                        killed = true;
                        containers.forEach(ContainerRunner::kill);
                    }
                }
            }
        } catch (InterruptedException e) {
            containers.forEach(ContainerRunner::kill);
            Thread.currentThread().interrupt();
        }
    }
}
