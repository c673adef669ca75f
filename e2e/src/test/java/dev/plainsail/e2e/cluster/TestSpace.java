package dev.plainsail.e2e.cluster;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.awaitility.core.ConditionTimeoutException;

/** A namespace of the shared cluster, with short words for what tests do in it; deleted at the end. */
public final class TestSpace implements AutoCloseable {

    public static final Duration PATIENCE = Duration.ofMinutes(2);

    private final LocalCluster cluster;
    private final String namespace;

    private TestSpace(LocalCluster cluster, String namespace) {
        this.cluster = cluster;
        this.namespace = namespace;
    }

    static TestSpace create(LocalCluster cluster, String namespace) {
        cluster.podRunner().addImage(TestServer.image());
        TestSpace space = new TestSpace(cluster, namespace);
        TestNamespaces.create(cluster.client(), namespace);
        return space;
    }

    public LocalCluster cluster() {
        return cluster;
    }

    public String namespace() {
        return namespace;
    }

    public void apply(String yaml) {
        Kubectl.Result result = kubectlWith(yaml, "apply", "-n", namespace, "-f", "-");
        assertThat(result.errors()).as(yaml).isEmpty();
    }

    public Kubectl.Result kubectlWith(String input, String... arguments) {
        try {
            return cluster.kubectl().tryRun(input, arguments);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public String kubectl(String... arguments) {
        Kubectl.Result result = kubectlWith("", arguments);
        assertThat(result.exitCode())
                .as(() -> result.errors() + "\n"
                        + kubectlWith("", "describe", "pods", "-n", namespace).output())
                .isZero();
        return result.output();
    }

    public Pod pod(String name) {
        Pod pod = cluster.client().pods().inNamespace(namespace).withName(name).get();
        assertThat(pod).as("pod " + name).isNotNull();
        return pod;
    }

    public List<Pod> pods(String app) {
        return cluster.client()
                .pods()
                .inNamespace(namespace)
                .withLabel("app", app)
                .list()
                .getItems();
    }

    public List<ResourceClaim> claims() {
        return cluster.client()
                .resources(ResourceClaim.class)
                .inNamespace(namespace)
                .list()
                .getItems();
    }

    public List<Event> events(String object) {
        return cluster.client()
                .v1()
                .events()
                .inNamespace(namespace)
                .withField("involvedObject.name", object)
                .list()
                .getItems();
    }

    /** Waits until the pod is as wanted, and gives it as it was then; on failure the pod and its logs are shown. */
    public Pod awaitPod(String name, Predicate<Pod> wanted) {
        try {
            return await().atMost(PATIENCE)
                    .until(
                            () -> cluster.client()
                                    .pods()
                                    .inNamespace(namespace)
                                    .withName(name)
                                    .get(),
                            pod -> pod != null
                                    && !pod.getStatus().getContainerStatuses().isEmpty()
                                    && wanted.test(pod));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    kubectlWith("", "get", "pod", name, "-n", namespace, "-o", "yaml")
                                    .output()
                            + events(name),
                    e);
        }
    }

    public void awaitGone(String name) {
        await().atMost(PATIENCE)
                .until(() -> cluster.client()
                                .pods()
                                .inNamespace(namespace)
                                .withName(name)
                                .get()
                        == null);
    }

    public String log(String pod, String container) {
        return log(pod, container, false);
    }

    public String log(String pod, String container, boolean previous) {
        Path file = cluster.podRunner()
                .log(namespace, pod, container, previous)
                .orElseThrow(() -> new AssertionError("no log of " + pod + "/" + container));
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The body, or the exception's name. */
    public String get(String url) {
        try (HttpClient http = HttpClient.newHttpClient()) { // a new connection each time
            HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                    .timeout(Duration.ofSeconds(60))
                    .build();
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return e.getClass().getSimpleName();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static boolean isReady(Pod pod) {
        return is(pod, "Ready", "True");
    }

    public static boolean is(Pod pod, String condition, String status) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(c -> c.getType().equals(condition) && c.getStatus().equals(status));
    }

    public static ContainerStatus only(Pod pod) {
        return pod.getStatus().getContainerStatuses().getFirst();
    }

    /** {@code request=device}, sorted, over all claims of the pod. */
    public String devices(String pod) {
        return String.join(
                " ",
                claims().stream()
                        .filter(claim -> claim.getMetadata().getOwnerReferences().stream()
                                .anyMatch(owner -> owner.getName().equals(pod)))
                        .flatMap(claim -> claim.getStatus().getAllocation().getDevices().getResults().stream())
                        .map(result -> result.getRequest() + "=" + result.getDevice())
                        .sorted()
                        .toList());
    }

    @Override
    public void close() {
        kubectl("delete", "namespace", namespace, "--wait=false");
    }
}
