package dev.plainsail.epp.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PodMembersTest {
    @Test
    void readyPodsAreMembers() {
        assertThat(names(ready("a", "10.0.0.1"), notReady("b", "10.0.0.2"))).containsExactly("default/a");
    }

    @Test
    void aTerminatingPodIsNoMember() {
        Pod pod = new PodBuilder(ready("a", "10.0.0.1"))
                .editMetadata()
                .withDeletionTimestamp("2026-01-01T00:00:00Z")
                .endMetadata()
                .build();
        assertThat(names(pod)).isEmpty();
    }

    /** EPP-25: an evicted pod loses its address and its Ready condition. */
    @Test
    void anEvictedPodIsNoMember() {
        Pod pod = new PodBuilder(ready("a", "10.0.0.7"))
                .withNewStatus()
                .withPhase("Failed")
                .withReason("Evicted")
                .withPodIP("")
                .endStatus()
                .build();
        assertThat(names(pod)).isEmpty();
    }

    /** EPP-75: a failed pod keeps address and Ready; the address now belongs to another. */
    @Test
    void aFailedPodIsNeverEligibleAndItsAddressGoesToTheLiveOne() {
        Pod failed = new PodBuilder(ready("a", "10.0.0.8"))
                .editStatus()
                .withPhase("Failed")
                .endStatus()
                .build();
        assertThat(names(failed, ready("b", "10.0.0.8"))).containsExactly("default/b");
    }

    /** EPP-75: two that both claim to be ready; the younger has the address. */
    @Test
    void ofTwoReadyPodsWithOneAddressTheYoungerCounts() {
        Pod old = created(ready("a", "10.0.0.8"), "2026-01-01T00:00:00Z");
        Pod young = created(ready("b", "10.0.0.8"), "2026-01-01T00:05:00Z");
        assertThat(names(old, young)).containsExactly("default/b");
        assertThat(names(young, old)).containsExactly("default/b");
    }

    @Test
    void thePortIsTheAnnotationsThenThePoolsThenTheFlagsThenTheContainersThen8000() {
        assertThat(port(ready("a", "10.0.0.1"))).isEqualTo(8000);
        assertThat(port(withContainerPort(ready("a", "10.0.0.1"), "http", 8200)))
                .isEqualTo(8200);
        Pod flag = withArgs(withContainerPort(ready("a", "10.0.0.1"), "http", 8200), "--model", "m", "--port", "8300");
        assertThat(port(flag)).isEqualTo(8300);
        assertThat(port(withArgs(flag, "--port=8301"))).isEqualTo(8301);
        assertThat(members(List.of(9000), flag).getFirst().address().getPort()).isEqualTo(9000);
        Pod annotated = annotated(flag, PodMembers.PORT, "8400");
        assertThat(members(List.of(9000), annotated).getFirst().address().getPort())
                .isEqualTo(8400);
        assertThat(port(annotated(flag, PodMembers.PORT, "http"))).isEqualTo(8200);
        assertThat(port(annotated(flag, PodMembers.PORT, "70000"))).isEqualTo(8300);
    }

    @Test
    void theEnginesContainerCountsNotASidecar() {
        Pod pod = new PodBuilder(ready("a", "10.0.0.1"))
                .editSpec()
                .addNewContainer()
                .withName("proxy")
                .withArgs("--port", "1")
                .endContainer()
                .addNewContainer()
                .withName("engine")
                .withArgs("--port", "8500")
                .endContainer()
                .endSpec()
                .build();
        assertThat(port(annotated(pod, "plainsail.dev/container", "engine,other")))
                .isEqualTo(8500);
    }

    @Test
    void severalPortsAreRanksAndAnAnnotationNarrowsThem() {
        Pod pod = ready("a", "10.0.0.1");
        assertThat(members(List.of(8000, 8001), pod).stream().map(Member::name))
                .containsExactly("default/a-rank-0", "default/a-rank-1");
        Pod narrowed = annotated(pod, "inference.networking.k8s.io/active-ports", "8001, 9");
        assertThat(members(List.of(8000, 8001), narrowed).stream().map(Member::name))
                .containsExactly("default/a-rank-1");
    }

    @Test
    void anAddressThatIsNoLiteralIsNotLookedUp() {
        assertThat(names(ready("a", "localhost"))).isEmpty();
        assertThat(members(List.of(), ready("a", "fd00::5"))
                        .getFirst()
                        .address()
                        .getAddress()
                        .getHostAddress())
                .contains("fd00");
    }

    private static List<String> names(Pod... pods) {
        return members(List.of(), pods).stream().map(Member::name).toList();
    }

    private static List<Member> members(List<Integer> ports, Pod... pods) {
        return PodMembers.of(Stream.of(pods).map(PodView::from).toList(), ports);
    }

    private static int port(Pod pod) {
        return members(List.of(), pod).getFirst().address().getPort();
    }

    private static Pod created(Pod pod, String time) {
        return new PodBuilder(pod)
                .editMetadata()
                .withCreationTimestamp(time)
                .endMetadata()
                .build();
    }

    private static Pod annotated(Pod pod, String key, String value) {
        return new PodBuilder(pod)
                .editMetadata()
                .addToAnnotations(key, value)
                .endMetadata()
                .build();
    }

    private static Pod withContainerPort(Pod pod, String name, int port) {
        return new PodBuilder(pod)
                .editSpec()
                .editFirstContainer()
                .addNewPort()
                .withName(name)
                .withContainerPort(port)
                .endPort()
                .endContainer()
                .endSpec()
                .build();
    }

    private static Pod withArgs(Pod pod, String... args) {
        return new PodBuilder(pod)
                .editSpec()
                .editFirstContainer()
                .withArgs(args)
                .endContainer()
                .endSpec()
                .build();
    }

    private static Pod notReady(String name, String ip) {
        return new PodBuilder(ready(name, ip))
                .editStatus()
                .editFirstCondition()
                .withStatus("False")
                .endCondition()
                .endStatus()
                .build();
    }

    static Pod ready(String name, String ip) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .withUid(name + "-uid")
                .withLabels(Map.of(PodSource.POOL, "chat"))
                .withResourceVersion("1")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("vllm")
                .endContainer()
                .endSpec()
                .withNewStatus()
                .withPhase("Running")
                .withPodIP(ip)
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }
}
