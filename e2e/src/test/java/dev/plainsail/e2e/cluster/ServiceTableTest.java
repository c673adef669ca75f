package dev.plainsail.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ServiceTableTest {

    private static final InetSocketAddress API = new InetSocketAddress("127.9.255.1", 6443);

    private final List<Service> services = new ArrayList<>(List.of(
            service("default", "kubernetes", "127.9.0.1", Map.of(), new IntOrString(6443), 443),
            service("ns", "web", "127.9.0.2", Map.of("app", "web"), new IntOrString("http"), 80),
            service("ns", "number", "127.9.0.3", Map.of("app", "web"), new IntOrString(9000), 80),
            service("ns", "free", "127.9.0.4", Map.of(), new IntOrString(80), 80)));
    private final List<Pod> pods = new ArrayList<>();
    private final ServiceTable table = new ServiceTable(() -> services, () -> pods, API);

    @Test
    void readyPodsOfTheSelectorTakeTurns() {
        pods.add(pod("ns", "a", "web", "127.9.129.1", "True"));
        pods.add(pod("ns", "b", "web", "127.9.129.2", "True"));
        pods.add(pod("ns", "c", "web", "127.9.129.3", "False"));
        pods.add(pod("ns", "d", "other", "127.9.129.4", "True"));
        pods.add(pod("elsewhere", "e", "web", "127.9.129.5", "True"));
        assertThat(List.of(route("127.9.0.2", 80), route("127.9.0.2", 80), route("127.9.0.2", 80)))
                .containsExactly(to("127.9.129.1", 8080), to("127.9.129.2", 8080), to("127.9.129.1", 8080));
        assertThat(route("127.9.0.3", 80).orElseThrow().getPort()).isEqualTo(9000);
    }

    @Test
    void aTerminatingPodGetsNothingNew() {
        Pod pod = pod("ns", "a", "web", "127.9.129.1", "True");
        pod.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        pods.add(pod);
        assertThat(route("127.9.0.2", 80)).isEmpty();
        services.get(1).getSpec().setPublishNotReadyAddresses(true);
        assertThat(route("127.9.0.2", 80)).isEqualTo(to("127.9.129.1", 8080));
    }

    @Test
    void otherPortsAndServicesWithoutSelectorHaveNobody() {
        pods.add(pod("ns", "a", "web", "127.9.129.1", "True"));
        assertThat(route("127.9.0.2", 81)).isEmpty();
        assertThat(route("127.9.0.4", 80)).isEmpty();
    }

    @Test
    void theApiServerAndPlainAddressesAreThemselves() {
        assertThat(route("127.9.0.1", 443)).contains(API);
        assertThat(route("127.9.255.11", 10250)).isEqualTo(to("127.9.255.11", 10250));
    }

    @Test
    void connectRequestsAreReadStrictly() {
        assertThat(EgressProxy.parseConnect("CONNECT 127.9.0.2:443 HTTP/1.1\r\nHost: x\r\n\r\n"))
                .contains(InetSocketAddress.createUnresolved("127.9.0.2", 443));
        for (String bad : List.of(
                "",
                "GET / HTTP/1.1\r\n\r\n",
                "CONNECT a HTTP/1.1",
                "CONNECT :1 HTTP/1.1",
                "CONNECT a:x HTTP/1.1",
                "CONNECT a:99999 HTTP/1.1",
                "CONNECT a:1")) {
            assertThat(EgressProxy.parseConnect(bad)).as(bad).isEmpty();
        }
    }

    private Optional<InetSocketAddress> route(String ip, int port) {
        return table.route(InetSocketAddress.createUnresolved(ip, port));
    }

    private static Optional<InetSocketAddress> to(String ip, int port) {
        return Optional.of(new InetSocketAddress(ip, port));
    }

    private static Service service(
            String namespace, String name, String ip, Map<String, String> selector, IntOrString target, int port) {
        return new ServiceBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withClusterIP(ip)
                .withSelector(selector)
                .addNewPort()
                .withPort(port)
                .withTargetPort(target)
                .endPort()
                .endSpec()
                .build();
    }

    private static Pod pod(String namespace, String name, String app, String ip, String ready) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .withUid(name)
                .addToLabels("app", app)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .addNewPort()
                .withName("http")
                .withContainerPort(8080)
                .endPort()
                .endContainer()
                .endSpec()
                .withNewStatus()
                .withPodIP(ip)
                .addNewCondition()
                .withType("Ready")
                .withStatus(ready)
                .endCondition()
                .endStatus()
                .build();
    }
}
