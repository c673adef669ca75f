package dev.plainsail.e2e.node;

import static dev.plainsail.certs.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.plainsail.e2e.cluster.SharedCluster;
import dev.plainsail.e2e.cluster.TestSpace;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Starts, restarts, probes and ends, as a kubelet would. */
@ExtendWith(SharedCluster.class)
final class PodLifecycleIT {

    private static void pod(TestSpace space, String name, String spec) {
        pod(space, name, 2, spec);
    }

    private static void pod(TestSpace space, String name, int graceSeconds, String spec) {
        space.apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec:
                  terminationGracePeriodSeconds: %d
                %s""".formatted(name, graceSeconds, spec.indent(2)));
    }

    @Test
    void aContainerThatFailsIsRestartedWithBackOffAndSaysSo(TestSpace space) {
        pod(space, "crash", """
                containers: [{name: main, image: busybox, command: [sh, -c, "echo run; exit 3"]}]
                """);
        Pod pod = space.awaitPod(
                "crash",
                p -> TestSpace.only(p).getRestartCount() >= 2
                        && TestSpace.only(p).getState().getWaiting() != null);
        ContainerStatus status = TestSpace.only(pod);
        assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
        assertThat(status.getLastState().getTerminated().getExitCode()).isEqualTo(3);
        assertThat(status.getState().getWaiting().getReason()).isEqualTo("CrashLoopBackOff");
        assertThat(TestSpace.is(pod, "Ready", "False")).isTrue();
        await().until(() -> space.log("crash", "main", true).equals("run\n"));
    }

    @Test
    void aPodThatMayNotRestartSucceedsOrFails(TestSpace space) {
        for (int code : new int[] {0, 5}) {
            pod(space, "end-" + code, """
                    restartPolicy: Never
                    containers: [{name: main, image: busybox, command: [sh, -c, "exit %d"]}]
                    """.formatted(code));
            Pod pod = space.awaitPod(
                    "end-" + code, p -> p.getStatus().getPhase().equals(code == 0 ? "Succeeded" : "Failed"));
            assertThat(TestSpace.only(pod).getState().getTerminated().getExitCode())
                    .isEqualTo(code);
            assertThat(TestSpace.only(pod).getRestartCount()).isZero();
        }
    }

    @Test
    void aJobCompletes(TestSpace space) {
        space.apply("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: work}
                spec:
                  template:
                    spec:
                      restartPolicy: OnFailure
                      containers:
                      - name: main
                        image: busybox
                        command: [sh, -c, "[ -e done ] && exit 0; touch done; exit 1"]
                """);
        space.kubectl("wait", "job/work", "-n", space.namespace(), "--for=condition=Complete", "--timeout=120s");
    }

    @Test
    void initContainersRunInOrderAndSidecarsStay(TestSpace space) {
        pod(space, "init", """
                volumes: [{name: shared, emptyDir: {}}]
                initContainers:
                - {name: one, image: busybox, command: [sh, -c, "echo one >> /shared/order"], volumeMounts: [{name: shared, mountPath: /shared}]}
                - name: sidecar
                  image: busybox
                  restartPolicy: Always
                  command: [sh, -c, "echo sidecar >> /shared/order; trap 'echo sidecar ends >> /shared/order; exit 0' TERM; while :; do sleep 0.1; done"]
                  startupProbe: {exec: {command: [grep, sidecar, /shared/order]}, periodSeconds: 1}
                  volumeMounts: [{name: shared, mountPath: /shared}]
                - {name: two, image: busybox, command: [sh, -c, "echo two >> /shared/order"], volumeMounts: [{name: shared, mountPath: /shared}]}
                containers:
                - name: main
                  image: busybox
                  command: [sh, -c, "echo main >> /shared/order; cat /shared/order; exec sleep 1000"]
                  volumeMounts: [{name: shared, mountPath: /shared}]
                """);
        Pod pod = space.awaitPod("init", TestSpace::isReady);
        await().atMost(TestSpace.PATIENCE).until(() -> space.log("init", "main").equals("one\nsidecar\ntwo\nmain\n"));
        assertThat(TestSpace.is(pod, "Initialized", "True")).isTrue();
        assertThat(pod.getStatus().getInitContainerStatuses())
                .extracting(c -> c.getState().getTerminated() != null, ContainerStatus::getReady)
                .containsExactly(tuple(true, true), tuple(false, true), tuple(true, true));
    }

    @Test
    void readinessFollowsItsProbeAndALivenessFailureRestarts(TestSpace space) {
        pod(space, "probed", """
                containers:
                - name: main
                  image: test.invalid/server
                  ports: [{name: http, containerPort: 8080}]
                  startupProbe: {tcpSocket: {port: http}, periodSeconds: 1, failureThreshold: 120}
                  readinessProbe: {httpGet: {port: http, path: /ready}, periodSeconds: 1, failureThreshold: 1}
                  livenessProbe: {exec: {command: [sh, -c, "[ ! -e dead ]"]}, periodSeconds: 1, timeoutSeconds: 60, failureThreshold: 1}
                """);
        Pod pod = space.awaitPod("probed", TestSpace::isReady);
        Path folder = folderOf(space.get("http://" + pod.getStatus().getPodIP() + ":8080/env"));
        touch(folder.resolve("unready"));
        pod = space.awaitPod(
                "probed", p -> TestSpace.is(p, "Ready", "False") && TestSpace.is(p, "ContainersReady", "False"));
        assertThat(TestSpace.only(pod).getRestartCount()).isZero();
        delete(folder.resolve("unready"));
        space.awaitPod("probed", TestSpace::isReady);
        touch(folder.resolve("dead"));
        space.awaitPod("probed", p -> TestSpace.only(p).getLastState().getTerminated() != null);
        delete(folder.resolve("dead"));
        pod = space.awaitPod(
                "probed", p -> TestSpace.isReady(p) && TestSpace.only(p).getRestartCount() >= 1);
        assertThat(TestSpace.only(pod).getLastState().getTerminated().getMessage())
                .startsWith("liveness probe failed");
        await().atMost(TestSpace.PATIENCE)
                .until(() -> space.events("probed").stream()
                        .anyMatch(event -> event.getReason().equals("Unhealthy")));
    }

    private static Path folderOf(String environment) {
        return environment
                .lines()
                .filter(line -> line.startsWith("HOME="))
                .map(line -> Path.of(line.substring(5)))
                .findFirst()
                .orElseThrow();
    }

    private static void touch(Path file) {
        try {
            Files.writeString(file, "");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void deletionRunsPreStopThenSigtermThenKillsAfterTheGrace(TestSpace space) {
        pod(space, "stubborn", 6, """
                containers:
                - name: main
                  image: busybox
                  command: [sh, -c, "trap 'echo term' TERM; echo ready; while :; do sleep 0.1; done"]
                  lifecycle: {preStop: {exec: {command: [sh, -c, "sleep 0.5"]}}}
                  readinessProbe: {exec: {command: ["true"]}, periodSeconds: 1}
                """);
        Pod pod = space.awaitPod("stubborn", TestSpace::isReady);
        Path log = space.cluster()
                .podRunner()
                .log(space.namespace(), "stubborn", "main", false)
                .orElseThrow();
        await("its trap").until(() -> Files.readString(log).equals("ready\n"));
        long pid = Long.parseLong(TestSpace.only(pod).getContainerID().replace("process://", ""));
        long began = System.nanoTime();
        space.kubectl("delete", "pod", "stubborn", "-n", space.namespace());
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        assertThat(took).as("the whole grace").isGreaterThan(Duration.ofMillis(5800));
        assertThat(log).content().isEqualTo("ready\nterm\n");
        assertThat(ProcessHandle.of(pid)).isEmpty();
    }

    @Test
    void aProgramThatDoesNotExistAndAnImageWithoutCommandAreNamed(TestSpace space) {
        pod(space, "nothing", "containers: [{name: main, image: busybox, command: [no-such-program]}]\n");
        pod(space, "image", "containers: [{name: main, image: \"example.org/unknown:1\"}]\n");
        Pod nothing =
                space.awaitPod("nothing", p -> TestSpace.only(p).getLastState().getTerminated() != null);
        assertThat(TestSpace.only(nothing).getLastState().getTerminated().getMessage())
                .contains("\"no-such-program\": executable file not found");
        Pod image = space.awaitPod(
                "image",
                p -> TestSpace.only(p).getState().getWaiting() != null
                        && TestSpace.only(p).getState().getWaiting().getReason().equals("ErrImagePull"));
        assertThat(TestSpace.only(image).getState().getWaiting().getMessage())
                .contains("example.org/unknown:1 is not in the table of images");
    }
}
